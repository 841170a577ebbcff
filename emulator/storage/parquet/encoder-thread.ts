import { parentPort } from "node:worker_threads";
import type { FileRequest } from "../../subjects/bulk-exports/encoder.ts";
import type { PartitionSource } from "../rows/plan.ts";
import { createPlans } from "../rows/plans.ts";
import { CRASH_CODE, encodeRequest } from "./encode-file.ts";

/** Messages to the thread. It replies to requests only, in their order. */
export type ThreadMessage =
  | { readonly request: FileRequest; readonly source: PartitionSource }
  /** The world is closed: close its files. */
  | { readonly forget: string };

function crash(): void {
  process.exit(CRASH_CODE);
}

const plans = createPlans();

async function encode(request: FileRequest, source: PartitionSource): Promise<void> {
  const reply = await encodeRequest(request, source, plans, crash);
  // Node never repeats a failed import, so another thread replaces this one.
  if ("failure" in reply && reply.failure === "worker_crash") throw new Error(reply.message);
  const bytes = "bytes" in reply ? reply.bytes : null;
  parentPort?.postMessage(reply, bytes === null ? [] : [bytes.buffer as ArrayBuffer]);
}

// Files are closed between two jobs, never during one that reads them.
let last: Promise<void> = Promise.resolve();
parentPort?.on("message", (message: ThreadMessage) => {
  last = last.then(() =>
    "forget" in message ? plans.forget(message.forget) : encode(message.request, message.source),
  );
});
