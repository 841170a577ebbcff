import type { Limit } from "./limits.ts";

/** Bounds of the agent server; the specification gives none. */
export const AGENT_LIMITS = {
  agent_run_timeout: {
    section: "3.2",
    requirement: "3.2-2",
    value: "PT1H",
    unit: "duration",
    setting: "limits.agent_run_timeout",
    own: true,
    text: "How long a run of an assistant may take from its start.",
  },
  agent_pending_runs: {
    section: "3.2",
    requirement: "X-2",
    value: 10_000,
    unit: "count",
    setting: "limits.agent_pending_runs",
    own: true,
    text: "Runs that may wait for their turn on one thread.",
  },
  agent_kwargs_bytes: {
    section: "2.1",
    requirement: "X-2",
    value: 1_048_576,
    unit: "bytes",
    setting: "limits.agent_kwargs_bytes",
    own: true,
    text: "Bytes of what a run is started with.",
  },
  agent_messages: {
    section: "2.2",
    requirement: "2.2-1",
    value: 100,
    unit: "count",
    setting: "limits.agent_messages",
    own: true,
    text: "Messages that a thread keeps; the oldest go.",
  },
  agent_checkpoints: {
    section: "2.2",
    requirement: "X-2",
    value: 100,
    unit: "count",
    setting: "limits.agent_checkpoints",
    own: true,
    text: "States that a thread keeps; the oldest go.",
  },
  agent_streams: {
    section: "4.8",
    requirement: "X-2",
    value: 1_000,
    unit: "count",
    setting: "limits.agent_streams",
    own: true,
    text: "Requests that may wait for runs or stream them at the same time.",
  },
  agent_kept_streams: {
    section: "4.8",
    requirement: "4.8-2",
    value: 1_000,
    unit: "count",
    setting: "limits.agent_kept_streams",
    own: true,
    text: "Ended runs whose events are kept for readers that come late.",
  },
  agent_scripts: {
    section: "4.8",
    requirement: "X-2",
    value: 1_000,
    unit: "count",
    setting: "limits.agent_scripts",
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
    setting: "timings.agent_step",
    own: true,
    text: "Virtual time that each step of the assistant agent takes.",
  },
  agent_heartbeat: {
    section: "4.8",
    requirement: "4.8-2",
    value: "PT5S",
    unit: "wall_clock_duration",
    setting: "timings.agent_heartbeat",
    own: true,
    text: "Wall-clock time after which a quiet stream or wait sends a sign of life.",
  },
} as const satisfies Record<string, Limit>;

/** Events that one script may hold. */
export const SCRIPT_EVENTS_MAX = 1_000;
