import { CONTROL_PATH } from "../../client/control-client.ts";
import { ErrorReply } from "../../client/send.ts";
import { explained } from "./actions.ts";
import { pageHeaders } from "./client.ts";
import { worldUrl } from "./place.ts";

/** Imports a snapshot file under its own name; resolves with the problem, or null. */
export async function upload(file: File): Promise<string | null> {
  const path = `${CONTROL_PATH}/snapshots/file`;
  try {
    const headers = { ...pageHeaders("POST"), "content-type": "application/gzip" };
    const reply = await fetch(worldUrl + path, { method: "POST", headers, body: file });
    if (!reply.ok) throw new ErrorReply("POST", path, reply.status, await reply.json());
    return null;
  } catch (error) {
    return explained(error);
  }
}
