import { AGENT_LIMITS, AGENT_TIMINGS } from "./agent/limits.ts";
import { BOUNDS } from "./bounds.ts";
import { bytes, count, type Limit } from "./limit.ts";

/** §3.3, §8.1 to §8.3 and our own bounds: every number is a setting under its key. */

/** Bounds: those of §8.2 and §8.3, and our own, without which something would grow for ever. */
export const LIMITS = {
  max_concurrent_runs_per_export: {
    section: "8.2",
    requirement: "8.2-1",
    value: 45,
    unit: "count",
    conflict: 5,
    text: "Maximum number of concurrent runs of one export. Further runs wait.",
  },
  max_concurrent_exports_per_workspace: {
    section: "8.2",
    requirement: "8.2-2",
    value: 15,
    unit: "count",
    conflict: 3,
    text: "Maximum number of concurrent exports of one workspace. Further exports wait.",
  },
  run_timeout: {
    section: "8.2",
    requirement: "8.2-3",
    value: "PT4H",
    unit: "duration",
    text: "Time limit for one attempt of an export run.",
  },
  workflow_timeout: {
    section: "8.2",
    requirement: "8.2-4",
    value: "PT72H",
    unit: "duration",
    conflict: "PT48H",
    text: "Time limit for an export, counted from RUNNING.",
  },
  max_retries: {
    section: "8.3",
    requirement: "8.3-1",
    value: 20,
    unit: "count",
    text: "Maximum number of retries of an export run.",
  },
  retry_delay: {
    section: "8.3",
    requirement: "8.3-1",
    value: "PT30S",
    unit: "duration",
    text: "Delay between two attempts. It is constant.",
  },
  rows_per_file: {
    section: "2.8",
    requirement: "2.8-2",
    value: 10_000,
    unit: "count",
    own: true,
    text: "Maximum number of rows per file. The checkpoint is saved after each file.",
  },
  bytes_per_file: {
    section: "2.8",
    requirement: "2.8-2",
    value: 67_108_864,
    unit: "bytes",
    own: true,
    text: "Maximum size of the row data per file. The checkpoint is saved after each file.",
  },
  body_bytes: {
    section: "4",
    requirement: "X-1",
    value: 20_971_520,
    unit: "bytes",
    own: true,
    text: "Maximum size of a request body after decompression. /info reports it to clients.",
  },
  events_per_advance: count(
    "3.3",
    1_000_000,
    "Maximum number of events that one advance of the clock fires.",
  ),
  worlds: count("8", 1_000, "Maximum number of worlds, including main."),
  snapshots: count("8", 100, "Maximum number of snapshots."),
  snapshot_bytes: bytes("8", 68_719_476_736, "Maximum size of a snapshot file before compression."),
  history_turns: {
    section: "8",
    requirement: "X-6",
    value: 10_000,
    unit: "count",
    own: true,
    text: "How many past turns can be read or forked; 0 disables the history.",
  },
  history_bytes: {
    section: "8",
    requirement: "X-6",
    value: 268_435_456,
    unit: "bytes",
    own: true,
    text: "Maximum size of the old records (in memory) and objects (on disk) of a world's history. When it is exceeded, the oldest turns are dropped.",
  },
  webhook_attempts: {
    section: "6",
    requirement: "6-3",
    value: 3,
    unit: "count",
    own: true,
    text: "Maximum number of attempts at one webhook delivery, including the first.",
  },
  webhook_ledger: count("6", 1_000, "How many ended webhook deliveries are retained."),
  webhook_pending: count(
    "6",
    10_000,
    "Maximum number of pending webhook deliveries. Further ones fail immediately.",
  ),
  webhook_reply_bytes: bytes("6", 16_384, "How many bytes of a webhook receiver's reply are retained."),
  crons_per_workspace: {
    section: "4.8",
    requirement: "4.8-4",
    value: 1_000,
    unit: "count",
    own: true,
    text: "Maximum number of crons of a workspace.",
  },
  ...AGENT_LIMITS,
  ...BOUNDS,
} as const satisfies Record<string, Limit>;

/** §2.5: the range of interval_hours. */
export const INTERVAL_HOURS = { section: "8.2", requirement: "2.5-3", minimum: 1, maximum: 168 } as const;

/** §8.1: how the agent server pages a thread's runs. */
export const LIST_RUNS = { section: "8.1", requirement: "4.1-1", limit: 10, offset: 0 } as const;

/** Durations as ISO 8601, of virtual time unless the unit says wall clock. */
export const TIMINGS = {
  spawn_grace: {
    section: "3.3",
    requirement: "3.3-3",
    value: "PT10M",
    unit: "duration",
    text: "Delay between the end of a window and its spawned export.",
  },
  one_off_start_delay: {
    section: "3.1",
    requirement: "3.1-8",
    value: "PT1S",
    unit: "duration",
    own: true,
    text: "How long a one-off export stays CREATED before it starts.",
  },
  file_duration: {
    section: "8.2",
    requirement: "X-2",
    value: "PT1S",
    unit: "duration",
    own: true,
    text: "Virtual time to read, encode and store one file.",
  },
  effect_patience: {
    section: "3.3",
    requirement: "X-2",
    value: "PT30S",
    unit: "wall_clock_duration",
    own: true,
    text: "How long an advance of the clock waits for an effect before it reports the effect by name.",
  },
  object_store_timeout: {
    section: "7.2",
    requirement: "7.2-1",
    value: "PT10S",
    unit: "wall_clock_duration",
    own: true,
    text: "Time limit for a reply of an object store.",
  },
  webhook_retry_delay: {
    section: "6",
    requirement: "6-3",
    value: "PT1S",
    unit: "duration",
    own: true,
    text: "Delay before the second attempt of a webhook. It doubles with each further attempt.",
  },
  webhook_connect_timeout: {
    section: "6",
    requirement: "6-3",
    value: "PT5S",
    unit: "wall_clock_duration",
    own: true,
    text: "Time limit for resolving and connecting to a webhook receiver.",
  },
  webhook_read_timeout: {
    section: "6",
    requirement: "6-3",
    value: "PT10S",
    unit: "wall_clock_duration",
    own: true,
    text: "Time limit for the complete reply of a webhook receiver.",
  },
  ...AGENT_TIMINGS,
} as const satisfies Record<string, Limit>;
