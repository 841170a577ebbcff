import {
  FAULT_PRESETS,
  FAULT_TARGETS,
  type FaultPreset,
  type FaultTargetRow,
} from "../../contracts/spec/faults.ts";
import { nearest } from "../../emulator/client/values.ts";
import { type Invocation, UsageError } from "../command.ts";
import { countOf, readDuration, textOf, textsOf } from "../values.ts";

const TARGETS: Readonly<Record<string, FaultTargetRow>> = FAULT_TARGETS;
const PRESETS: Readonly<Record<string, FaultPreset>> = FAULT_PRESETS;

type Members = Readonly<Record<string, unknown>>;

/** The body of `POST /faults` that the words of `fault arm` stand for. Throws `UsageError`. */
export function faultOrderOf(invocation: Invocation): Members {
  const [name = ""] = invocation.operands;
  if (name.startsWith("{")) return ruleOf(name, invocation);
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  const target = preset?.target ?? name;
  const row = Object.hasOwn(TARGETS, target) ? TARGETS[target] : undefined;
  if (row === undefined) throw unknown(name, [...Object.keys(TARGETS), ...Object.keys(PRESETS)], "fault arm");
  const then = textsOf(invocation, "then");
  if (preset !== undefined && then.length > 0)
    throw new UsageError(`--then: the preset ${name} already contains it; leave it out`);
  if (preset === undefined && then.length === 0)
    throw new UsageError(`--then: is missing; give one of ${Object.keys(row.then).join(", ")}`);
  const ttl = textOf(invocation, "ttl");
  return {
    ...(preset === undefined
      ? { target, then: membersOf(then, row.then, thenValue, "--then") }
      : { preset: name }),
    match: membersOf(textsOf(invocation, "match"), row.match, matchValue, "--match"),
    times: countOf(invocation, "times"),
    ...(invocation.flags.optional === true && { optional: true }),
    ...(ttl !== undefined && { ttl: readDuration(ttl, "--ttl") }),
  };
}

/** A whole rule as JSON, as the control API takes it. */
function ruleOf(text: string, { flags }: Invocation): Members {
  const beside = ["match", "then", "times", "ttl", "optional"].find((name) => flags[name] !== undefined);
  if (beside !== undefined) throw new UsageError(`--${beside}: put it into the JSON rule instead`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`fault arm: the rule is not valid JSON (${(error as Error).message})`);
  }
}

type ReadValue<Known> = (text: string | undefined, known: Known, where: string) => unknown;

/** Reads words such as `at=file.written`, and `crash` for one that takes no value. */
function membersOf<Known>(
  words: readonly string[],
  known: Readonly<Record<string, Known>>,
  read: ReadValue<Known>,
  flag: string,
): Members {
  const members: Record<string, unknown> = {};
  for (const word of words) {
    const [name = ""] = word.split("=", 1);
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind === undefined) throw unknown(name, Object.keys(known), flag);
    const value = name.length < word.length ? word.slice(name.length + 1) : undefined;
    members[name] = read(value, kind, `${flag} ${name}`);
  }
  return members;
}

const matchValue: ReadValue<FaultTargetRow["match"][string]> = (text, kind, where) => {
  if (text === undefined || text === "") throw new UsageError(`${where}: the value is missing`);
  const values = text
    .split(",")
    .map((each) => (kind === "number" || kind === "count" ? numeral(each) : each));
  return values.length === 1 ? values[0] : values;
};

const thenValue: ReadValue<FaultTargetRow["then"][string]> = (text, { takes }, where) => {
  if (text === undefined) return true;
  if (takes === "duration") return readDuration(text, where);
  if (takes === "status" || takes === "copies") return numeral(text);
  if (takes === "json" || takes === "headers") return jsonOrText(text);
  return text === "true" ? true : text;
};

/** What is none stays text, which the emulator refuses with what it takes. */
function numeral(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function unknown(name: string, known: readonly string[], where: string): UsageError {
  const meant = nearest(name, known);
  return new UsageError(
    `${where}: "${name}" is unknown; ${meant === undefined ? `give one of ${known.join(", ")}` : `did you mean ${meant}?`}`,
  );
}
