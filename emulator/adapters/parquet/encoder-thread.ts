import { parentPort, workerData } from "node:worker_threads";
import type { EncodedFile, EncodingFailure, FileOrder } from "../../domain/bulk-exports/encoder.ts";
import { createPartitionReader } from "../traces/partition-reader.ts";
import { encodeFile } from "./encode-file.ts";
import { UnencodableValue } from "./values.ts";

/** What the thread is started with. */
export interface ThreadData {
  readonly folder: string;
}

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

const port = parentPort;
const { folder } = workerData as ThreadData;
const reader = createPartitionReader({ folder });

port?.on("message", async (order: FileOrder) => {
  let reply: EncodedFile | EncodingFailure;
  try {
    reply = await encodeFile(reader, order, order.crash ? crash : () => {});
  } catch (error) {
    reply = failureOf(error);
  }
  const bytes = "bytes" in reply ? reply.bytes : null;
  port.postMessage(reply, bytes === null ? [] : [bytes.buffer as ArrayBuffer]);
});
