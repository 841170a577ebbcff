import type { RecordedExchange } from "../../contracts/engine/recorded.ts";

export const THREAD = "0a91a355-8a88-422c-9546-72c183b95b5c";
export const OTHER = "1b91a355-8a88-422c-9546-72c183b95b5c";
export const RUNS = `/threads/${THREAD}/runs`;
export const EXPORTS = "/api/v1/bulk-exports";
export const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
export const KEY_ID = "AKIAIOSFODNN7EXAMPLE";

export const idOf = (number: number) => `0190a6c0-0000-7000-8000-${String(number).padStart(12, "0")}`;

/** An exchange, whose status is 200 unless `more` has another. */
export const exchange = (
  method: string,
  url: string,
  body: unknown,
  requestBody?: unknown,
  more: object = {},
): RecordedExchange => ({ method, url, status: 200, body, requestBody, ...more });

/** A run of the thread. */
export const run = (number: number, more: object = {}) => ({
  run_id: idOf(number),
  thread_id: THREAD,
  assistant_id: OTHER,
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  status: "success",
  metadata: {},
  kwargs: {},
  multitask_strategy: "enqueue",
  ...more,
});

export const ORDER = {
  bulk_export_destination_id: idOf(1),
  session_id: idOf(2),
  start_time: "2026-01-01T00:00:00Z",
  end_time: "2026-01-02T00:00:00Z",
};

export const DESTINATION = {
  destination_type: "s3",
  display_name: "files",
  config: { bucket_name: "minioadmin", prefix: "" },
  credentials: { access_key_id: KEY_ID, secret_access_key: SECRET },
};
/** A created thread. */
export const NEW_THREAD = {
  thread_id: THREAD,
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  metadata: {},
  status: "idle",
  config: {},
  values: null,
};
