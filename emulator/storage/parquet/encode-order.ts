import type { EncodedFile, EncodingFailure, FileRequest } from "../../subjects/bulk-exports/encoder.ts";
import { createPartitionReader } from "../rows/partition-reader.ts";
import type { PartitionSource, Plans } from "../rows/plans.ts";
import { encodeFile } from "./encode-file.ts";
import { UnencodableValue } from "./values.ts";

/** Encodes the next file of an order, or says why it cannot be encoded; `crash` ends the thread where the order asks for that. */
export async function encodeOrder(
  order: FileRequest,
  source: PartitionSource,
  plans: Plans,
  crash: () => void,
): Promise<EncodedFile | EncodingFailure> {
  try {
    const reader = createPartitionReader(() => source, plans);
    return await encodeFile(reader, order, order.crash ? crash : () => {});
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): EncodingFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UnencodableValue) return { failure: "serialization_error", message };
  // A buffer that cannot be had, or a text longer than there may be.
  if (error instanceof RangeError) return { failure: "resource_exhausted", message };
  return { failure: "worker_crash", message: `the encoding thread failed: ${message}` };
}
