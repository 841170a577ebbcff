import { bytes, count, type Limit } from "../limit.ts";

/** Bounds of the agent server; the specification gives none. */
export const AGENT_LIMITS = {
  agent_run_timeout: {
    section: "3.2",
    requirement: "3.2-2",
    value: "PT1H",
    unit: "duration",
    own: true,
    text: "Time limit for an agent run, counted from its start.",
  },
  agent_threads: count("2.2", 500_000, "Maximum number of threads of a workspace."),
  agent_assistants: count(
    "4.8",
    1_000,
    "Maximum number of assistants of a workspace, not counting the built-in ones.",
  ),
  agent_assistant_versions: count(
    "4.8",
    100,
    "Versions of an assistant that are retained; older ones are removed.",
  ),
  agent_runs: count("2.1", 100_000, "Maximum number of runs of one thread, including ended ones."),
  agent_pending_runs: count("3.2", 10_000, "Maximum number of waiting runs on one thread."),
  agent_kwargs_bytes: bytes("2.1", 1_048_576, "Maximum size of the request that starts a run."),
  agent_values_bytes: bytes(
    "2.2",
    16_777_216,
    "Maximum size of a thread's values. A run that would exceed it ends with an error.",
  ),
  agent_metadata_bytes: bytes(
    "2.2",
    1_048_576,
    "Maximum total size of metadata, config, context, name and description of a thread, an assistant or a cron.",
  ),
  agent_waiting_events: count(
    "3.2",
    250_000,
    "Maximum number of queued events of a world. Above it, new runs, crons and thread TTLs are refused.",
  ),
  agent_checkpoints: count(
    "2.2",
    100,
    "How many states of a thread are retained: the last state of each ended run, and each direct change. The oldest are dropped.",
  ),
  agent_streams: count(
    "4.8",
    1_000,
    "Maximum number of concurrent requests of a world that wait for or stream runs.",
  ),
  agent_kept_streams: {
    section: "4.8",
    requirement: "4.8-2",
    value: 1_000,
    unit: "count",
    own: true,
    text: "How many ended runs of a world retain their events, for late readers, and all their states.",
  },
  agent_scripts: count("4.8", 1_000, "Maximum number of active scripts."),
} as const satisfies Record<string, Limit>;

export const AGENT_TIMINGS = {
  agent_step: {
    section: "3.2",
    requirement: "3.2-2",
    value: "PT0.1S",
    unit: "duration",
    own: true,
    text: "Virtual time for each step of the built-in assistant `agent`.",
  },
  agent_heartbeat: {
    section: "4.8",
    requirement: "4.8-2",
    value: "PT5S",
    unit: "wall_clock_duration",
    own: true,
    text: "Interval of the keep-alive message of a quiet stream or wait.",
  },
} as const satisfies Record<string, Limit>;

/** Events that one script may hold. */
export const MAX_SCRIPT_EVENTS = 1_000;
