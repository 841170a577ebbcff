import { withoutMarks } from "../../../contracts/spec/exact-json.ts";
import {
  FAULT_PRESETS,
  FAULT_TARGETS,
  type FaultMember,
  type FaultPreset,
  type FaultTarget,
  type FaultTargetRow,
} from "../../../contracts/spec/faults.ts";
import { durationMs, formatDuration } from "../../kernel/duration.ts";
import { invalidRequest, Refusal } from "../../kernel/refusal.ts";
import type { LimitSettings } from "../settings.ts";
import type { FaultRule, TargetThen } from "./records.ts";
import { countAt, readMatchValue, readThenValue } from "./values.ts";
import { unknownWord } from "./words.ts";

/** A valid fault, ready to be armed. */
export type Fault = Pick<FaultRule, "preset" | "match" | "times" | "ttl" | "optional"> &
  TargetThen & { readonly ttlMs: number | null };

type FaultInput = Readonly<Record<string, unknown>>;

const RULE_MEMBERS = ["target", "match", "then", "times", "ttl", "optional"];
const PRESET_MEMBERS = ["preset", "match", "times", "ttl", "optional"];

/** Reads a rule or a preset of `POST /faults`. Throws a `Refusal` (422) for unknown or invalid members. */
export function readFault(input: unknown, limits: LimitSettings): Fault {
  const body = withTarget(objectAt("body", withPlainNumbers(input)));
  const isPreset = body.preset !== undefined;
  const members = isPreset ? PRESET_MEMBERS : RULE_MEMBERS;
  for (const name of Object.keys(body)) if (!members.includes(name)) throw misplaced(name, members, isPreset);
  const { target, match, then } = isPreset ? expandPreset(body, limits) : body;
  const name = targetOf(target);
  const row = FAULT_TARGETS[name];
  const ttlMs = body.ttl === undefined ? null : durationAt("ttl", body.ttl);
  return {
    preset: isPreset ? String(body.preset) : null,
    match: readMatch(row, match),
    ...ofTarget(name, readThen(row, then, match)),
    times: body.times === undefined ? 1 : countAt("times", body.times),
    ttl: ttlMs === null ? null : String(body.ttl),
    ...(body.optional !== undefined && { optional: switchAt("optional", body.optional) }),
    ttlMs,
  };
}

/** Only the body of a reply keeps its marks, because it is sent as it is. */
function withPlainNumbers(input: unknown): unknown {
  const plain = withoutMarks(input) as { then?: { body?: unknown } };
  const { then } = input as typeof plain;
  if (then?.body !== undefined && plain.then) plain.then.body = then.body;
  return plain;
}

/** `plane` is the former name of `target`, which stays accepted. */
function withTarget({ plane, ...body }: FaultInput): FaultInput {
  return plane === undefined ? body : { target: plane, ...body };
}

function expandPreset(body: FaultInput, limits: LimitSettings): FaultInput {
  const names = Object.keys(FAULT_PRESETS);
  const name = String(body.preset);
  if (!names.includes(name)) throw unknownWord("unknown_preset", "preset", body.preset, names);
  const { target, match, then, outlasts }: FaultPreset = FAULT_PRESETS[name as keyof typeof FAULT_PRESETS];
  const stall = outlasts && { stall: formatDuration(limits[outlasts] + 1000) };
  return { target, match: { ...match, ...objectAt("match", body.match ?? {}) }, then: { ...then, ...stall } };
}

function misplaced(name: string, members: readonly string[], isPreset: boolean): Refusal {
  if (name === "nth")
    return new Refusal(422, "unknown_field", "nth: is not a member of a fault.", "Write it inside match.");
  if (isPreset && RULE_MEMBERS.includes(name))
    return new Refusal(
      422,
      "unknown_field",
      `${name}: cannot be combined with preset, which defines its own.`,
      "Leave it out, or arm a rule without preset.",
    );
  return unknownWord("unknown_field", "body", name, members);
}

function switchAt(where: string, input: unknown): boolean {
  if (typeof input === "boolean") return input;
  throw new Refusal(422, "invalid_field", `${where}: must be true or false.`);
}

function targetOf(input: unknown): FaultTarget {
  const names = Object.keys(FAULT_TARGETS);
  if (typeof input === "string" && names.includes(input)) return input as FaultTarget;
  throw unknownWord("unknown_target", "target", input, names);
}

function readMatch(row: FaultTargetRow, input: unknown): Fault["match"] {
  const match = objectAt("match", input ?? {});
  const entries = Object.entries(match).map(([key, value]) => {
    const kind = Object.hasOwn(row.match, key) ? row.match[key] : undefined;
    if (kind !== undefined) return [key, readMatchValue(kind, `match.${key}`, value)] as const;
    if (key === "times")
      throw new Refusal(
        422,
        "unknown_key",
        "match.times: is not a key of match.",
        "Write times next to match.",
      );
    throw unknownWord("unknown_key", "match", key, Object.keys(row.match));
  });
  for (const [one, other] of row.apart ?? [])
    if (one in match && other in match)
      throw new Refusal(
        422,
        "invalid_match",
        `match: ${one} and ${other} exclude each other.`,
        `${one} is about requests, ${other} about the points of an export.`,
      );
  return Object.fromEntries(entries);
}

function readThen(row: FaultTargetRow, input: unknown, match: unknown): FaultInput {
  const then = objectAt("then", input ?? {});
  const entries = Object.entries(then).map(([name, value]) => {
    const member = memberOf(row, name);
    if (!member) throw unknownWord("unknown_then", "then", name, Object.keys(row.then));
    return [name, readThenValue(member.takes, `then.${name}`, value)] as const;
  });
  const names = Object.keys(then);
  refuseConflicts(row, names);
  const answer = names.find((name) => memberOf(row, name)?.needs === "request");
  if (answer !== undefined && Object.hasOwn(match ?? {}, "at"))
    throw invalidThen(
      `${answer} answers a request, but match.at names a point of an export, which has no request`,
      "Use match.op to match requests.",
    );
  return Object.fromEntries(entries);
}

/** Every member was checked against the table, so the cast to the type derived from the table is safe. */
function ofTarget(target: FaultTarget, then: FaultInput): TargetThen {
  return { target, then } as TargetThen;
}

/** A fault does one thing; the table lists the members that may accompany it. */
function refuseConflicts(row: FaultTargetRow, names: readonly string[]): void {
  const required = (name: string) => memberOf(row, name)?.follows !== true;
  const conflicting = (one: string, other: string) =>
    memberOf(row, one)?.combinesWith?.includes(other) === true;
  if (!names.some(required))
    throw invalidThen(
      "it must contain exactly one action",
      `Give one of ${Object.keys(row.then).filter(required).join(", ")}.`,
    );
  for (const [at, one] of names.entries())
    for (const other of names.slice(at + 1))
      if (!conflicting(one, other) && !conflicting(other, one))
        throw invalidThen(`${one} and ${other} exclude each other`, "Keep one of them, or arm two faults.");
}

function invalidThen(problem: string, hint: string): Refusal {
  return new Refusal(422, "invalid_then", `then: ${problem}.`, hint);
}

function memberOf(row: FaultTargetRow, name: string): FaultMember | undefined {
  return Object.hasOwn(row.then, name) ? row.then[name] : undefined;
}

function objectAt(where: string, value: unknown): FaultInput {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as FaultInput;
  throw invalidRequest(`${where}: must be an object.`);
}

function durationAt(where: string, value: unknown): number {
  return durationMs(readThenValue("duration", where, value) as string);
}
