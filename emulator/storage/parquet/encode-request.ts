import type { EncodedFile, EncodingFailure, FileRequest } from "../../subjects/bulk-exports/encoder.ts";
import { createPartitionReader } from "../rows/partition-reader.ts";
import type { PartitionSource, Plans } from "../rows/plans.ts";
import { StoreError } from "../store-error.ts";
import { encodeFile } from "./encode-file.ts";
import { UnencodableValue } from "./values.ts";

/** Encodes the next file of a request, or returns the failure; `crash` ends the thread if the request injects a crash. */
export async function encodeRequest(
  request: FileRequest,
  source: PartitionSource,
  plans: Plans,
  crash: () => void,
): Promise<EncodedFile | EncodingFailure> {
  try {
    const reader = createPartitionReader(() => source, plans);
    return await encodeFile(reader, request, request.crash ? crash : () => {});
  } catch (error) {
    return encodingFailureOf(error);
  }
}

/** Why rows could not be encoded. */
export function encodingFailureOf(error: unknown): EncodingFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StoreError) return { failure: "damaged_rows", message };
  if (error instanceof UnencodableValue) return { failure: "serialization_error", message };
  // A buffer that cannot be allocated, or a text that is too long.
  if (error instanceof RangeError) return { failure: "resource_exhausted", message };
  return { failure: "worker_crash", message: `the encoding thread failed: ${message}` };
}
