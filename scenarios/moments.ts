import { faultWordProblems } from "../emulator/client/fault-words.ts";
import {
  formatDuration,
  parseDuration,
  parseMicros,
  parseWrittenDuration,
} from "../emulator/client/values.ts";
import type { GivenStep, Verb } from "./definition.ts";
import type { ExpectationProblem } from "./expectations.ts";

type Members = Readonly<Record<string, unknown>>;

/** Times, durations and words of faults of a step that cannot be read; those with variables are known only when it is played. */
export function momentProblems(verb: Verb, given: GivenStep): readonly ExpectationProblem[] {
  if (verb === "advance") return advanceProblems((given as GivenStep<"advance">).advance);
  if (verb === "fault") {
    const { fault } = given as GivenStep<"fault">;
    const words = faultWordProblems(fault).map(({ path, text }) => ({ path: ["fault", ...path], text }));
    return [...faultProblems(fault), ...words];
  }
  if (verb !== "seed") return [];
  const { from, to } = ((given as GivenStep<"seed">).seed.traces ?? {}) as Members;
  return [...timeProblem(from, ["seed", "traces", "from"]), ...timeProblem(to, ["seed", "traces", "to"])];
}

function advanceProblems(advance: GivenStep<"advance">["advance"]): readonly ExpectationProblem[] {
  if (typeof advance === "string") return durationProblem(advance, ["advance"]);
  return [
    ...durationProblem(advance.by, ["advance", "by"]),
    ...durationProblem(advance.within, ["advance", "within"]),
    ...timeProblem(advance.to, ["advance", "to"]),
  ];
}

function faultProblems({ ttl, then = {} }: GivenStep<"fault">["fault"]): readonly ExpectationProblem[] {
  const { stall, delay } = then as Members;
  return [
    ...durationProblem(ttl, ["fault", "ttl"]),
    ...durationProblem(stall, ["fault", "then", "stall"]),
    ...durationProblem(delay, ["fault", "then", "delay"]),
  ];
}

function durationProblem(value: unknown, path: readonly string[]): readonly ExpectationProblem[] {
  if (!isKnown(value) || parseDuration(value) !== undefined) return [];
  const ms = parseWrittenDuration(value);
  const meant = ms === undefined ? "write one such as PT6H or P1DT30M" : `write ${formatDuration(ms)}`;
  return [{ path, text: `${JSON.stringify(value)} is not an ISO 8601 duration; ${meant}` }];
}

function timeProblem(value: unknown, path: readonly string[]): readonly ExpectationProblem[] {
  if (!isKnown(value) || parseMicros(value) !== undefined) return [];
  return [
    {
      path,
      text: `${JSON.stringify(value)} is not an ISO 8601 time with a zone; write one such as 2026-03-01T00:00:00Z`,
    },
  ];
}

/** A text without variables. */
function isKnown(value: unknown): value is string {
  return typeof value === "string" && !value.includes("${");
}
