import { AGENT_LIMITS, AGENT_TIMINGS } from "./agent/limits.ts";
import type { Limit } from "./limit.ts";

/** §3.3, §8.1 to §8.3 and our own bounds: every number is a setting under its key. */

/** Bounds: those of §8.2 and §8.3, and our own, without which something would grow for ever. */
export const LIMITS = {
  max_concurrent_runs_per_export: {
    section: "8.2",
    requirement: "8.2-1",
    value: 45,
    unit: "count",
    conflict: 5,
    text: "Runs of one export that work at the same time; the next ones queue.",
  },
  max_concurrent_exports_per_workspace: {
    section: "8.2",
    requirement: "8.2-2",
    value: 15,
    unit: "count",
    conflict: 3,
    text: "Exports of one workspace that work at the same time; the next ones queue.",
  },
  run_timeout: {
    section: "8.2",
    requirement: "8.2-3",
    value: "PT4H",
    unit: "duration",
    text: "How long one attempt of a run may take.",
  },
  workflow_timeout: {
    section: "8.2",
    requirement: "8.2-4",
    value: "PT72H",
    unit: "duration",
    conflict: "PT48H",
    text: "How long an export may take from its move to RUNNING.",
  },
  max_retries: {
    section: "8.3",
    requirement: "8.3-1",
    value: 20,
    unit: "count",
    text: "Retries of a run after its first attempt.",
  },
  retry_delay: {
    section: "8.3",
    requirement: "8.3-1",
    value: "PT30S",
    unit: "duration",
    text: "Wait between two attempts; it does not grow.",
  },
  rows_per_file: {
    section: "2.8",
    requirement: "2.8-2",
    value: 10_000,
    unit: "count",
    own: true,
    text: "Rows after which a file is closed and the checkpoint moves.",
  },
  bytes_per_file: {
    section: "2.8",
    requirement: "2.8-2",
    value: 67_108_864,
    unit: "bytes",
    own: true,
    text: "Bytes of row data after which a file is closed and the checkpoint moves.",
  },
  body_bytes: {
    section: "4",
    requirement: "X-1",
    value: 20_971_520,
    unit: "bytes",
    own: true,
    text: "Bytes of a request body after decompression; what /info tells clients to stay below.",
  },
  events_per_advance: {
    section: "3.3",
    requirement: "X-2",
    value: 1_000_000,
    unit: "count",
    own: true,
    text: "Events that one move of the clock may fire before it gives up.",
  },
  worlds: {
    section: "8",
    requirement: "X-2",
    value: 1_000,
    unit: "count",
    own: true,
    text: "Worlds that may be there at a time, main included.",
  },
  snapshots: {
    section: "8",
    requirement: "X-2",
    value: 100,
    unit: "count",
    own: true,
    text: "Snapshots of worlds that may be there at a time.",
  },
  snapshot_bytes: {
    section: "8",
    requirement: "X-2",
    value: 68_719_476_736,
    unit: "bytes",
    own: true,
    text: "Bytes that a snapshot may hold as a file, before it is compressed.",
  },
  webhook_attempts: {
    section: "6",
    requirement: "6-3",
    value: 3,
    unit: "count",
    own: true,
    text: "Attempts at one webhook delivery, the first included.",
  },
  webhook_ledger: {
    section: "6",
    requirement: "X-2",
    value: 1_000,
    unit: "count",
    own: true,
    text: "Webhook deliveries that the ledger keeps once they have ended.",
  },
  webhook_pending: {
    section: "6",
    requirement: "X-2",
    value: 10_000,
    unit: "count",
    own: true,
    text: "Webhook deliveries that may be under way; further ones fail at once.",
  },
  webhook_reply_bytes: {
    section: "6",
    requirement: "X-2",
    value: 16_384,
    unit: "bytes",
    own: true,
    text: "Bytes that are kept of a webhook receiver's answer.",
  },
  crons_per_workspace: {
    section: "4.8",
    requirement: "4.8-4",
    value: 1_000,
    unit: "count",
    own: true,
    text: "Crons that a workspace may have.",
  },
  ...AGENT_LIMITS,
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
    text: "How long after the end of its window a spawned export runs.",
  },
  one_off_start_delay: {
    section: "3.1",
    requirement: "3.1-8",
    value: "PT1S",
    unit: "duration",
    own: true,
    text: "How long a one-off export stays CREATED.",
  },
  file_duration: {
    section: "8.2",
    requirement: "X-2",
    value: "PT1S",
    unit: "duration",
    own: true,
    text: "Virtual time that one file takes to read, encode and store.",
  },
  effect_patience: {
    section: "3.3",
    requirement: "X-2",
    value: "PT30S",
    unit: "wall_clock_duration",
    own: true,
    text: "Wall-clock time after which a move of the clock names the effect that it waits for.",
  },
  object_store_timeout: {
    section: "7.2",
    requirement: "7.2-1",
    value: "PT10S",
    unit: "wall_clock_duration",
    own: true,
    text: "Wall-clock time that an object store has for its answer.",
  },
  webhook_retry_delay: {
    section: "6",
    requirement: "6-3",
    value: "PT1S",
    unit: "duration",
    own: true,
    text: "Wait before a webhook's second attempt; it doubles with each further one.",
  },
  webhook_connect_timeout: {
    section: "6",
    requirement: "6-3",
    value: "PT5S",
    unit: "wall_clock_duration",
    own: true,
    text: "Wall-clock time for finding and reaching a webhook receiver.",
  },
  webhook_read_timeout: {
    section: "6",
    requirement: "6-3",
    value: "PT10S",
    unit: "wall_clock_duration",
    own: true,
    text: "Wall-clock time that a webhook receiver has for its whole answer.",
  },
  ...AGENT_TIMINGS,
} as const satisfies Record<string, Limit>;
