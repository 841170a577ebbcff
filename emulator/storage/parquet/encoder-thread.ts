import { parentPort } from "node:worker_threads";
import type { EncodedFile, EncodingFailure, FileRequest } from "../../subjects/bulk-exports/encoder.ts";
import { createPartitionReader } from "../rows/partition-reader.ts";
import { createPlans, type PartitionSource } from "../rows/plans.ts";
import { encodeFile } from "./encode-file.ts";
import { UnencodableValue } from "./values.ts";

/** What the thread is sent; it answers orders only, one after the other. */
export type ThreadMessage =
  | { readonly order: FileRequest; readonly source: PartitionSource }
  /** The world is closed: close its files. */
  | { readonly forget: string };

const CRASH_CODE = 70;

function failureOf(error: unknown): EncodingFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UnencodableValue) return { failure: "serialization_error", message };
  // A buffer that cannot be had, or a text longer than there may be.
  if (error instanceof RangeError) return { failure: "resource_exhausted", message };
  return { failure: "worker_crash", message: `the encoding thread failed: ${message}` };
}

function crash(): void {
  process.exit(CRASH_CODE);
}

const plans = createPlans();

async function encode(order: FileRequest, source: PartitionSource): Promise<void> {
  let reply: EncodedFile | EncodingFailure;
  try {
    const reader = createPartitionReader(() => source, plans);
    reply = await encodeFile(reader, order, order.crash ? crash : () => {});
  } catch (error) {
    reply = failureOf(error);
  }
  const bytes = "bytes" in reply ? reply.bytes : null;
  parentPort?.postMessage(reply, bytes === null ? [] : [bytes.buffer as ArrayBuffer]);
}

// Files are closed between two jobs, never during one that reads them.
let last: Promise<void> = Promise.resolve();
parentPort?.on("message", (message: ThreadMessage) => {
  last = last.then(() =>
    "forget" in message ? plans.forget(message.forget) : encode(message.order, message.source),
  );
});
