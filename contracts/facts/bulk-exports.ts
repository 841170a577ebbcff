/** The duties of bulk exports, transcribed from the specification a second time for the suites. */

/** §9.1 */
export const API_PREFIX = "/api/v1";

/** §4.2 to §4.7 */
export const EXPORTS = "/api/v1/bulk-exports";
export const DESTINATIONS = "/api/v1/bulk-exports/destinations";

/** §4.2 to §4.7: method and path of each operation. */
export const EXPORT_OPERATIONS = {
  createBulkExportDestination: ["POST", DESTINATIONS],
  createBulkExport: ["POST", EXPORTS],
  getBulkExport: ["GET", `${EXPORTS}/{export_id}`],
  listBulkExportRuns: ["GET", `${EXPORTS}/{export_id}/runs`],
  listBulkExports: ["GET", EXPORTS],
  stopBulkExport: ["PATCH", `${EXPORTS}/{export_id}`],
} as const;

/** §4.7: the word that stops an export. */
export const STOP_WORD = "Cancelled";

/** §2.4: members that a destination cannot do without, where credentials are not the environment's. */
export const DESTINATION_REQUIRED = [
  "destination_type",
  "display_name",
  "config",
  "config.bucket_name",
  "config.prefix",
  "credentials.access_key_id",
  "credentials.secret_access_key",
] as const;

/** §2.4: the one type of destination, and whether the prefix includes the bucket by default. */
export const DESTINATION_TYPE = "s3";
export const BUCKET_IN_PREFIX = false;

/** §2.5: required members of an export; `end_time` only for a one-off export. */
export const EXPORT_REQUIRED = [
  "bulk_export_destination_id",
  "session_id",
  "start_time",
  "end_time",
] as const;

/** §2.5, §8.2 */
export const INTERVAL_HOURS = { least: 1, most: 168 } as const;

/** §2.5 */
export const ENHANCED_FORMAT = "v2_beta";

/** §3.1: statuses of exports and their runs; no move leads out of a final one. */
export const EXPORT_STATUSES = {
  CREATED: { final: false },
  RUNNING: { final: false },
  COMPLETED: { final: true },
  FAILED: { final: true },
  CANCELLED: { final: true },
  TIMEDOUT: { final: true },
} as const;

export type ExportStatus = keyof typeof EXPORT_STATUSES;

export const EXPORT_STATUS_NAMES = Object.keys(EXPORT_STATUSES) as readonly ExportStatus[];

/** §3.1: the moves of an export that are shown. */
export const EXPORT_MOVES = [
  { from: "CREATED", trigger: "cancel", to: "CANCELLED" },
  { from: "RUNNING", trigger: "cancel", to: "CANCELLED" },
  { from: "RUNNING", trigger: "run_failed", to: "FAILED" },
  { from: "RUNNING", trigger: "all_runs_completed", to: "COMPLETED" },
  { from: "RUNNING", trigger: "workflow_timeout", to: "TIMEDOUT" },
] as const;

/** §3.3: minutes between the end of a window and the run of its export. */
export const SPAWN_DELAY_MINUTES = 10;

/** §8.2: how many work at once; a place is given on as one ends. */
export const RUNS_AT_ONCE = 45;
export const EXPORTS_AT_ONCE = 15;

/** §8.2, §3.1: the other numbers that the specification gives for the same limits. */
export const CONFLICTING = { runsAtOnce: 5, exportsAtOnce: 3, workflowHours: 48 } as const;

/** §8.2 */
export const RUN_HOURS = 4;
export const WORKFLOW_HOURS = 72;

/** §8.3 */
export const RETRIES = { most: 20, delaySeconds: 30 } as const;

/** §2.6: the name of a recorded error, by attempt. */
export const RETRY_KEY = /^retry_(0|[1-9]\d*)$/;

/** §7.2: how each error of a destination is named. */
export const DESTINATION_ERRORS = {
  access_denied: "Access denied",
  bucket_not_valid: "Bucket is not valid",
  key_id_does_not_exist: "Key ID you provided does not exist",
  invalid_endpoint: "Invalid endpoint",
} as const;

export type DestinationError = keyof typeof DESTINATION_ERRORS;

/** §7.3: which failures are tried again. */
export const RETRIED_FAILURES = {
  infrastructure_interruption: true,
  run_timeout: true,
  workflow_timeout: false,
  storage_error: false,
  destination_deleted: false,
  serialization_error: true,
  resource_exhausted: true,
} as const;

const TEXT = { type: "string" } as const;
const REFERENCE = { type: "string", format: "reference" } as const;
const UUID = { type: "string", format: "uuid" } as const;
const TIME = { type: "string", format: "date-time" } as const;
/** §5 */
const HEADERS = ["x-api-key", "x-tenant-id"] as const;
const CREATION = { method: "POST", path: EXPORTS, headers: HEADERS } as const;
const EXPORT = {
  method: "GET",
  path: `${EXPORTS}/{export_id}`,
  headers: HEADERS,
  pathParameters: { export_id: UUID },
} as const;

/** §4.2 to §4.7: requests, as JSON Schema; a text with a format is not free. */
export const EXPORT_REQUESTS = {
  createBulkExportDestination: {
    ...CREATION,
    path: DESTINATIONS,
    body: {
      type: "object",
      required: ["destination_type", "display_name", "config", "credentials"],
      properties: {
        destination_type: { type: "string", enum: [DESTINATION_TYPE] },
        display_name: TEXT,
        config: {
          type: "object",
          required: ["bucket_name", "prefix"],
          properties: {
            bucket_name: REFERENCE,
            prefix: TEXT,
            region: TEXT,
            endpoint_url: { type: "string", format: "uri" },
            include_bucket_in_prefix: { type: "boolean" },
          },
        },
        credentials: {
          type: "object",
          required: ["access_key_id", "secret_access_key"],
          properties: {
            access_key_id: REFERENCE,
            secret_access_key: REFERENCE,
            session_token: REFERENCE,
          },
        },
      },
    },
  },
  createBulkExport: {
    ...CREATION,
    body: {
      type: "object",
      required: EXPORT_REQUIRED,
      properties: {
        bulk_export_destination_id: REFERENCE,
        session_id: UUID,
        start_time: TIME,
        end_time: TIME,
        filter: { type: "string", format: "filter" },
        export_fields: { type: "array", items: { type: "string", format: "column" } },
        format_version: { type: "string", enum: [ENHANCED_FORMAT] },
      },
    },
  },
  createScheduledExport: {
    ...CREATION,
    body: {
      type: "object",
      required: ["bulk_export_destination_id", "session_id", "start_time", "interval_hours"],
      properties: {
        interval_hours: { type: "integer", minimum: INTERVAL_HOURS.least, maximum: INTERVAL_HOURS.most },
      },
    },
  },
  getBulkExport: EXPORT,
  listBulkExportRuns: { ...EXPORT, path: `${EXPORT.path}/runs` },
  listBulkExports: { ...CREATION, method: "GET" },
  stopBulkExport: {
    ...EXPORT,
    method: "PATCH",
    body: {
      type: "object",
      required: ["status"],
      properties: { status: { type: "string", enum: [STOP_WORD] } },
    },
  },
} as const;
