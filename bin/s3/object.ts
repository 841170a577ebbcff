import { buffer } from "node:stream/consumers";
import { CONTROL_PATH } from "../../emulator/client/control-client.ts";
import { ErrorReply, valueOf } from "../../emulator/client/send.ts";
import { transportTo } from "../snapshot/transport.ts";
import type { Place } from "./place.ts";

/** The body of an object in chunks. Throws `ErrorReply`. */
export async function openObject(url: string, { bucket, key }: Place): Promise<AsyncIterable<Uint8Array>> {
  const path = `${CONTROL_PATH}/s3/buckets/${encodeURIComponent(bucket)}/object?key=${encodeURIComponent(key)}`;
  const { status, ok, chunks } = await transportTo(url)("GET", path);
  if (ok) return chunks;
  throw new ErrorReply("GET", path, status, valueOf((await buffer(chunks)).toString(), null));
}
