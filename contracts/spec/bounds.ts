import { bytes, count, type LimitTable } from "./limit.ts";

/** bounds of the emulator's own, so that nothing a caller sends or leaves grows without end. */
export const BOUNDS = {
  faults: count("7", 1_000, "Maximum number of faults of a world, including spent ones."),
  request_headers: count("1", 200, "Maximum number of headers of a request."),
  feedback_per_run: count("2.5", 10_000, "Maximum number of feedback entries of a trace row."),
  waiting_rows_per_workspace: count(
    "2.7",
    100_000,
    "Maximum number of trace rows of a workspace that wait for a parent row. Further rows are not attached to a later parent.",
  ),
  held_patches_per_workspace: count(
    "8.5",
    100_000,
    "Maximum number of changes of a workspace whose trace rows were never posted.",
  ),
  held_patch_bytes_per_workspace: bytes(
    "8.5",
    256 * 1024 * 1024,
    "Maximum size of these changes of a workspace, as JSON.",
  ),
  export_days: count("2.5", 36_600, "Maximum number of UTC days of a one-off export."),
  export_creations_per_hour: count(
    "2.5",
    250,
    "Maximum number of exports that a workspace creates within an hour, spawned ones included; hosted, in the profile observed.",
  ),
  active_schedules_per_workspace: count(
    "3.3",
    200,
    "Maximum number of schedules of a workspace that are not cancelled; hosted, in the profile observed.",
  ),
  past_windows_per_schedule: count(
    "3.3",
    10_000,
    "Maximum number of windows that have already ended when a schedule is created.",
  ),
  webhook_payload_bytes: bytes(
    "6",
    65_536,
    "Maximum size of a webhook payload that is retained for redelivery after its delivery has ended.",
  ),
  webhook_inboxes: count(
    "6",
    100,
    "Maximum number of inboxes of the built-in webhook receiver. A new one replaces the oldest.",
  ),
  webhook_inbox_messages: count(
    "6",
    100,
    "Maximum number of messages of an inbox. A new one replaces the oldest.",
  ),
  webhook_inbox_characters: count(
    "6",
    65_536,
    "Maximum number of characters of a message's body that an inbox retains, and of its query and headers together.",
  ),
  form_parts: count("4", 20_000, "Maximum number of parts of a multipart body."),
  json_levels: { ...count("4", 500, "Maximum nesting depth of the JSON of a body."), maximum: 1_000 },
  json_values: count(
    "4",
    1_000_000,
    "Maximum number of list items and object members in the JSON of a body.",
  ),
  json_names: count("4", 50_000, "Maximum number of different member names in the JSON of a body."),
  batch_items: count(
    "8.5",
    100_000,
    "Maximum number of trace rows, changes and feedback entries of one request.",
  ),
  verifications: count(
    "2.8",
    16,
    "Maximum number of exports of a world that are verified, or wait to be verified, at the same time.",
  ),
  snapshot_transfers: count(
    "8",
    4,
    "Maximum number of snapshot files that are read or written at the same time.",
  ),
  recorded_requests: count(
    "8",
    2_000,
    "Maximum number of requests that the recording of a world retains. The oldest ones are dropped.",
  ),
  recorded_bytes: bytes(
    "8",
    8_388_608,
    "Maximum size of the requests and replies that the recording of a world retains. The oldest ones are dropped.",
  ),
  recorded_body_bytes: bytes(
    "8",
    65_536,
    "Maximum size of a request or reply body that the recording retains. Longer bodies are left out.",
  ),
  recording_file_bytes: {
    ...bytes("8", 67_108_864, "Maximum size of a file that `emulator contract check` reads."),
    maximum: 500_000_000,
  },
  journal_turns: count(
    "8",
    10_000,
    "Maximum number of turns that the journal of a world lists. The oldest ones are dropped.",
  ),
  compared_rows: count(
    "8",
    1_000_000,
    "Maximum number of trace rows whose values a comparison of two worlds reads: those that both have but do not share. It reports how many it did not read.",
  ),
  parquet_page_bytes: bytes(
    "2.8",
    268_435_456,
    "Maximum size of a Parquet file whose rows can be listed, or that is read from an external object store.",
  ),
  parquet_search_rows: count(
    "2.8",
    100_000,
    "Maximum number of rows that a search or a sort of a Parquet file reads, from its start. `rows_read` of the reply is the number of rows that were read.",
  ),
} as const satisfies LimitTable;
