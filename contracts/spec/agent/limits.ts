import type { Limit } from "../limit.ts";

/** Bounds of the agent server; the specification gives none. */
export const AGENT_LIMITS = {
  agent_run_timeout: {
    section: "3.2",
    requirement: "3.2-2",
    value: "PT1H",
    unit: "duration",
    own: true,
    text: "How long a run of an assistant may take from its start.",
  },
  agent_threads: {
    section: "2.2",
    requirement: "X-2",
    value: 500_000,
    unit: "count",
    own: true,
    text: "Threads that a workspace may have.",
  },
  agent_assistants: {
    section: "4.8",
    requirement: "X-2",
    value: 1_000,
    unit: "count",
    own: true,
    text: "Assistants that a workspace may have beside those of the server.",
  },
  agent_runs: {
    section: "2.1",
    requirement: "X-2",
    value: 100_000,
    unit: "count",
    own: true,
    text: "Runs that one thread may keep, those that have ended included.",
  },
  agent_pending_runs: {
    section: "3.2",
    requirement: "X-2",
    value: 10_000,
    unit: "count",
    own: true,
    text: "Runs that may wait for their turn on one thread.",
  },
  agent_kwargs_bytes: {
    section: "2.1",
    requirement: "X-2",
    value: 1_048_576,
    unit: "bytes",
    own: true,
    text: "Bytes of what a run is started with.",
  },
  agent_values_bytes: {
    section: "2.2",
    requirement: "X-2",
    value: 16_777_216,
    unit: "bytes",
    own: true,
    text: "Bytes of the values that a thread may hold; a run that would leave more ends with an error.",
  },
  agent_metadata_bytes: {
    section: "2.2",
    requirement: "X-2",
    value: 1_048_576,
    unit: "bytes",
    own: true,
    text: "Bytes of what callers note on a thread, an assistant or a cron: metadata, config, context, name, description.",
  },
  agent_waiting_events: {
    section: "3.2",
    requirement: "X-2",
    value: 250_000,
    unit: "count",
    own: true,
    text: "Events that may wait in the queue of a world before no more runs and crons are taken.",
  },
  agent_checkpoints: {
    section: "2.2",
    requirement: "X-2",
    value: 100,
    unit: "count",
    own: true,
    text: "States that a thread keeps, one of each run or change; the oldest go.",
  },
  agent_streams: {
    section: "4.8",
    requirement: "X-2",
    value: 1_000,
    unit: "count",
    own: true,
    text: "Requests that may wait for runs or stream them at the same time, in one world.",
  },
  agent_kept_streams: {
    section: "4.8",
    requirement: "4.8-2",
    value: 1_000,
    unit: "count",
    own: true,
    text: "Ended runs whose events are kept for readers that come late.",
  },
  agent_scripts: {
    section: "4.8",
    requirement: "X-2",
    value: 1_000,
    unit: "count",
    own: true,
    text: "Scripts that may be in force at the same time.",
  },
} as const satisfies Record<string, Limit>;

export const AGENT_TIMINGS = {
  agent_step: {
    section: "3.2",
    requirement: "3.2-2",
    value: "PT0.1S",
    unit: "duration",
    own: true,
    text: "Virtual time that each step of the assistant agent takes.",
  },
  agent_heartbeat: {
    section: "4.8",
    requirement: "4.8-2",
    value: "PT5S",
    unit: "wall_clock_duration",
    own: true,
    text: "Wall-clock time after which a quiet stream or wait sends a sign of life.",
  },
} as const satisfies Record<string, Limit>;

/** Events that one script may hold. */
export const SCRIPT_EVENTS_MAX = 1_000;
