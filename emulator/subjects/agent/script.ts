import { STREAM_MODES, type StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { SCRIPT_EVENTS_MAX } from "../../../contracts/spec/agent/limits.ts";
import { parseDuration } from "../../kernel/duration.ts";

/** Which runs a script is about; what is left out does not matter. */
export interface ScriptMatch {
  /** An assistant's id or the name of its graph. */
  readonly assistant_id?: string;
  readonly thread_id?: string;
  /** The first run it strikes, counted among those that match, from 1 on. */
  readonly nth?: number;
}

/** Something that a run streams. */
export interface ScriptedEvent {
  /** Virtual time since the event before it. */
  readonly after_ms: number;
  readonly mode: StreamMode;
  readonly data: unknown;
  /** The node it comes from. */
  readonly node: string | null;
  /** Leaves a trace row of this type beside the run's own. */
  readonly run_type: "llm" | "tool" | "chain" | null;
}

/** How a run goes. */
export interface ScriptedRun {
  readonly status: "success" | "error" | "timeout" | "interrupted";
  /** From the start to the end; null when the events decide. */
  readonly after_ms: number | null;
  /** What the thread holds afterwards; null leaves it to the assistant. */
  readonly values: Readonly<Record<string, unknown>> | null;
  readonly error: { readonly error: string; readonly message: string } | null;
  readonly events: readonly ScriptedEvent[] | null;
  /** What the run asks its caller; any value. */
  readonly interrupt: { readonly value: unknown } | null;
  readonly never_starts: boolean;
  /** Stops in the middle, as with its worker gone; only the run time-out ends it. */
  readonly dies: boolean;
}

export interface AgentScript {
  readonly match: ScriptMatch;
  readonly then: ScriptedRun;
  /** How many runs in a row it strikes; null for all. */
  readonly times: number | null;
}

/** A script as people write it: in the configuration, in options and on the control surface. */
export interface ScriptInput {
  readonly match?: ScriptMatch;
  readonly then: {
    readonly status?: ScriptedRun["status"];
    /** ISO 8601 duration from the start of the run to its end. */
    readonly after?: string;
    readonly values?: Readonly<Record<string, unknown>>;
    readonly error?: string | { readonly error?: string; readonly message?: string };
    readonly events?: readonly ScriptEventInput[];
    readonly interrupt?: unknown;
    readonly never_starts?: boolean;
    readonly dies?: boolean;
  };
  readonly times?: number;
}

export interface ScriptEventInput {
  /** ISO 8601 duration since the event before it. */
  readonly after?: string;
  readonly mode?: StreamMode;
  readonly data?: unknown;
  readonly node?: string;
  readonly run_type?: "llm" | "tool" | "chain";
}

type Members = Readonly<Record<string, unknown>>;

const STATUSES = ["success", "error", "timeout", "interrupted"] as const;
const RUN_TYPES = ["llm", "tool", "chain"] as const;
const DEFAULT_ERROR = { error: "RuntimeError", message: "The script says that this run fails." };

/** A script as people write it, or what is wrong with it. */
export function readScript(value: unknown): { readonly script: AgentScript } | { readonly problem: string } {
  try {
    return { script: scriptOf(value) };
  } catch (error) {
    if (error instanceof ScriptProblem) return { problem: error.message };
    throw error;
  }
}

class ScriptProblem extends Error {
  override readonly name = "ScriptProblem";
}

function scriptOf(value: unknown): AgentScript {
  const script = members(value, "script", ["match", "then", "times"]);
  const match = members(script.match ?? {}, "match", ["assistant_id", "thread_id", "nth"]);
  const nth = optional(match.nth, (input) => count(input, "match.nth"));
  const times = optional(script.times, (input) => count(input, "times"));
  return {
    match: {
      ...optional(match.assistant_id, (input) => ({ assistant_id: text(input, "match.assistant_id") })),
      ...optional(match.thread_id, (input) => ({ thread_id: text(input, "match.thread_id").toLowerCase() })),
      ...(nth !== undefined && { nth }),
    },
    then: runOf(script.then),
    times: times ?? (nth === undefined ? null : 1),
  };
}

const THEN = ["status", "after", "values", "error", "events", "interrupt", "never_starts", "dies"];

function runOf(value: unknown): ScriptedRun {
  const then = members(value, "then", THEN);
  const asks = then.interrupt !== undefined;
  const fails = then.error !== undefined;
  const implied = asks ? "interrupted" : fails ? "error" : "success";
  const status = optional(then.status, (input) => oneOf(STATUSES, input, "then.status")) ?? implied;
  if (asks && status !== "interrupted")
    throw new ScriptProblem("then.interrupt: only goes with status interrupted");
  if (fails && status !== "error") throw new ScriptProblem("then.error: only goes with status error");
  return {
    status,
    after_ms: optional(then.after, (input) => duration(input, "then.after")) ?? null,
    values: optional(then.values, (input) => members(input, "then.values")) ?? null,
    error: status === "error" ? errorOf(then.error) : null,
    events: optional(then.events, eventsOf) ?? null,
    interrupt: asks ? { value: then.interrupt } : null,
    never_starts: optional(then.never_starts, (input) => flag(input, "then.never_starts")) ?? false,
    dies: optional(then.dies, (input) => flag(input, "then.dies")) ?? false,
  };
}

function errorOf(value: unknown) {
  if (value === undefined) return DEFAULT_ERROR;
  if (typeof value === "string") return { ...DEFAULT_ERROR, message: value };
  const input = members(value, "then.error", ["error", "message"]);
  return {
    error: optional(input.error, (name) => text(name, "then.error.error")) ?? DEFAULT_ERROR.error,
    message: optional(input.message, (words) => text(words, "then.error.message")) ?? DEFAULT_ERROR.message,
  };
}

function eventsOf(value: unknown): readonly ScriptedEvent[] {
  if (!Array.isArray(value)) throw new ScriptProblem("then.events: must be a list");
  if (value.length > SCRIPT_EVENTS_MAX)
    throw new ScriptProblem(`then.events: holds more than ${SCRIPT_EVENTS_MAX}`);
  return value.map((item, index) => {
    const where = `then.events[${index}]`;
    const event = members(item, where, ["after", "mode", "data", "node", "run_type"]);
    return {
      after_ms: optional(event.after, (input) => duration(input, `${where}.after`)) ?? 0,
      mode: optional(event.mode, (input) => oneOf(STREAM_MODES, input, `${where}.mode`)) ?? "custom",
      data: event.data ?? null,
      node: optional(event.node, (input) => text(input, `${where}.node`)) ?? null,
      run_type: optional(event.run_type, (input) => oneOf(RUN_TYPES, input, `${where}.run_type`)) ?? null,
    };
  });
}

function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined ? undefined : read(value);
}

function members(value: unknown, where: string, known?: readonly string[]): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ScriptProblem(`${where}: must be an object`);
  const unknown = known && Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new ScriptProblem(`${where}.${unknown}: is not known here`);
  return value as Members;
}

function text(value: unknown, where: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new ScriptProblem(`${where}: must be a text`);
}

function count(value: unknown, where: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  throw new ScriptProblem(`${where}: must be a whole number from 1 on`);
}

function flag(value: unknown, where: string): boolean {
  if (typeof value === "boolean") return value;
  throw new ScriptProblem(`${where}: must be true or false`);
}

function duration(value: unknown, where: string): number {
  const ms = typeof value === "string" ? parseDuration(value) : undefined;
  if (ms !== undefined) return ms;
  throw new ScriptProblem(`${where}: must be an ISO 8601 duration such as PT5S`);
}

function oneOf<const V extends readonly string[]>(values: V, value: unknown, where: string): V[number] {
  if (typeof value === "string" && values.includes(value)) return value;
  throw new ScriptProblem(`${where}: must be one of ${values.join(", ")}`);
}
