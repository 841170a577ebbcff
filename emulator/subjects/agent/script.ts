import { STREAM_MODES, type StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { MAX_SCRIPT_EVENTS } from "../../../contracts/spec/agent/limits.ts";
import {
  anything,
  boolean,
  closed,
  duration,
  eitherOf,
  freeForm,
  integer,
  listOf,
  oneOf,
  optional,
  type TypeOf,
  text,
} from "../../../contracts/spec/fields.ts";
import { durationMs } from "../../kernel/duration.ts";

const STATUSES = ["success", "error", "timeout", "interrupted"] as const;
const RUN_TYPES = ["llm", "tool", "chain"] as const;

const name = text({ minLength: 1 });
const ordinal = integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

const MATCH = closed(
  {
    assistant_id: optional({ ...name, description: "An assistant's id or the name of its graph." }),
    thread_id: optional({ ...name, description: "A thread's id." }),
    nth: optional({
      ...ordinal,
      description: "The first run that it applies to, counted among those that match; default 1.",
    }),
  },
  { description: "Which runs the script applies to; omitted members match every run." },
);

const EVENT = closed({
  after: optional(duration({ description: "Duration since the event before it." })),
  mode: optional(oneOf(STREAM_MODES)),
  data: optional(anything()),
  node: optional({ ...name, description: "The node that it comes from." }),
  run_type: optional(
    oneOf(RUN_TYPES, { description: "Writes a trace row of this type in addition to that of the run." }),
  ),
});

const THEN = closed(
  {
    status: optional(
      oneOf(STATUSES, {
        description: `How the run ends: ${STATUSES.join(", ")}; default error with \`error\`, interrupted with \`interrupt\`, else success.`,
      }),
    ),
    after: optional(duration({ description: "Duration from the start of the run to its end." })),
    values: optional(freeForm({ description: "What the thread holds afterwards." })),
    error: optional({
      ...eitherOf([text(), closed({ error: optional(name), message: optional(name) })]),
      description: "The message of a run that fails, or an object with `error` (a type) and `message`.",
    }),
    events: optional(
      listOf(EVENT, {
        maxItems: MAX_SCRIPT_EVENTS,
        description: "The events of its stream, each with `after`, `mode`, `data`, `node` and `run_type`.",
      }),
    ),
    interrupt: optional(anything({ description: "What the run asks its caller; any value." })),
    never_starts: optional(boolean({ description: "Stays pending until it is cancelled." })),
    dies: optional(
      boolean({ description: "Stops in the middle, as when its worker is lost; only the time-out ends it." }),
    ),
  },
  { description: "How the run goes." },
);

/** Schema of a script in the configuration, in options and in the control API. */
export const SCRIPT = closed({
  match: optional(MATCH),
  then: THEN,
  times: optional({
    ...ordinal,
    description: "How many runs in a row it applies to; default all, or 1 with `match.nth`.",
  }),
});

export type ScriptInput = TypeOf<typeof SCRIPT>;

/** One scripted stream event. */
export interface ScriptedEvent {
  /** Milliseconds of virtual time since the previous event. */
  readonly after_ms: number;
  readonly mode: StreamMode;
  readonly data: unknown;
  readonly node: string | null;
  readonly run_type: (typeof RUN_TYPES)[number] | null;
}

/** The scripted course of a run. */
export interface ScriptedRun {
  readonly status: (typeof STATUSES)[number];
  /** Milliseconds from start to end; null when the events decide. */
  readonly after_ms: number | null;
  /** The thread's values afterwards; null lets the assistant's graph decide. */
  readonly values: Readonly<Record<string, unknown>> | null;
  readonly error: { readonly error: string; readonly message: string } | null;
  readonly events: readonly ScriptedEvent[] | null;
  readonly interrupt: { readonly value: unknown } | null;
  readonly never_starts: boolean;
  readonly dies: boolean;
}

/** A script in stored form. */
export interface AgentScript {
  readonly match: TypeOf<typeof MATCH>;
  readonly then: ScriptedRun;
  /** Number of consecutive runs it applies to; null for all. */
  readonly times: number | null;
}

type ThenInput = ScriptInput["then"];

const DEFAULT_ERROR = { error: "RuntimeError", message: "The script says that this run fails." };

/** The conflict between members of a script that is valid by its schema; undefined when there is none. */
export function scriptProblem({ then }: ScriptInput): string | undefined {
  const status = statusOf(then);
  if (then.interrupt !== undefined && status !== "interrupted")
    return "then.interrupt: only goes with status interrupted";
  if (then.error !== undefined && status !== "error") return "then.error: only goes with status error";
  return undefined;
}

/** Converts a valid script input into its stored form. */
export function readScript({ match = {}, then, times }: ScriptInput): AgentScript {
  const { thread_id, nth } = match;
  return {
    match: { ...match, ...(thread_id !== undefined && { thread_id: thread_id.toLowerCase() }) },
    then: runOf(then),
    times: times ?? (nth === undefined ? null : 1),
  };
}

function runOf(then: ThenInput): ScriptedRun {
  const status = statusOf(then);
  return {
    status,
    after_ms: then.after === undefined ? null : durationMs(then.after),
    values: then.values ?? null,
    error: status === "error" ? errorOf(then.error) : null,
    events: then.events?.map(eventOf) ?? null,
    interrupt: then.interrupt === undefined ? null : { value: then.interrupt },
    never_starts: then.never_starts ?? false,
    dies: then.dies ?? false,
  };
}

function statusOf({ status, interrupt, error }: ThenInput): ScriptedRun["status"] {
  if (status !== undefined) return status;
  if (interrupt !== undefined) return "interrupted";
  return error === undefined ? "success" : "error";
}

function errorOf(error: ThenInput["error"]) {
  return { ...DEFAULT_ERROR, ...(typeof error === "string" ? { message: error } : error) };
}

function eventOf(event: TypeOf<typeof EVENT>): ScriptedEvent {
  return {
    after_ms: event.after === undefined ? 0 : durationMs(event.after),
    mode: event.mode ?? "custom",
    data: event.data ?? null,
    node: event.node ?? null,
    run_type: event.run_type ?? null,
  };
}
