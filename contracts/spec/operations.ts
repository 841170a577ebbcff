import { BULK_EXPORT_OPERATIONS } from "./bulk-export-operations.ts";
import { DESTINATION_OPERATIONS } from "./destination-operations.ts";
import { INGEST_OPERATIONS } from "./ingest-operations.ts";
import type { Operation } from "./operation.ts";
import { SYSTEM_OPERATIONS } from "./system-operations.ts";

/** §4 and what its users need beside it: every operation that has a handler. */
export const OPERATIONS = {
  ...DESTINATION_OPERATIONS,
  ...BULK_EXPORT_OPERATIONS,
  ...INGEST_OPERATIONS,
  ...SYSTEM_OPERATIONS,
} as const satisfies Record<string, Operation>;

export type { OperationId } from "./operation.ts";
