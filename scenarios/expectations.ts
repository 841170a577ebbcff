import type { ControlClient, DeliveryView } from "../emulator/client/control-client.ts";
import { faultWordProblems } from "../emulator/client/fault-words.ts";
import { parseUntil, UNTIL_FORMS } from "../emulator/client/until.ts";
import {
  DURATION_EXAMPLES,
  hintFor,
  parseDuration,
  parseInstant,
  timeProblem,
} from "../emulator/client/values.ts";
import type { AdvanceTarget } from "../emulator/client/views.ts";
import type { Keys } from "../emulator/validation/misfits.ts";
import type { GivenStep, Verb } from "./definition.ts";
import { isMatcher, MATCHER_NAMES, problemOfArgument, WORD_NAMES } from "./matching.ts";

/** A defect of an expectation: it could never fail, or never pass. */
export interface ExpectationProblem {
  readonly path: Keys;
  readonly text: string;
}

const SELECTORS = new Set(["bucket", "prefix", "export", "where"]);

/** The members of list entries: a misspelled one would never match, and so pass where nothing is expected. */
const ENTRY_MEMBERS: {
  readonly deliveries: readonly (keyof DeliveryView)[];
  readonly journal: readonly (keyof Awaited<ReturnType<ControlClient["journal"]>>[number])[];
} = {
  deliveries: [
    "id",
    "run_id",
    "thread_id",
    "run_status",
    "url",
    "status",
    "reason",
    "redelivery_of",
    "created_at",
    "ended_at",
    "current_attempt",
    "attempts",
    "request",
    "passed_by",
  ],
  journal: ["turn", "now", "cause", "refused", "put", "removed", "scheduled", "effects", "clock", "notes"],
};

/** Members of an expected entry, by name or path, that no entry of its list has. */
export function memberProblems(source: keyof typeof ENTRY_MEMBERS, expected: object): readonly string[] {
  const members: readonly string[] = ENTRY_MEMBERS[source];
  return Object.keys(expected).flatMap((path) => {
    const [name = ""] = path.split(".", 1);
    if (name === "*" || name.startsWith("$") || members.includes(name)) return [];
    const hint = hintFor(name, members, `it has ${members.join(", ")}`);
    return [`${ENTRY_NAMES[source]} has no member ${name}; ${hint}`];
  });
}

const ENTRY_NAMES = { deliveries: "a delivery", journal: "a turn of the journal" };

/** Whether a member of an expectation is a parameter (where to look), not an expected value. */
export function isSelector(source: string, name: string): boolean {
  return source !== "variables" && SELECTORS.has(name);
}

/** Problems of the matchers in an expected value: an unknown matcher would never match. */
export function matcherProblems(expected: unknown): readonly string[] {
  return problemsIn(expected, []).map(({ path, text }) => `${path.join(".") || "the value"}: ${text}`);
}

/** Problems of a step's expectations, each with its path in the step. */
export function expectationProblems(verb: Verb, step: GivenStep): readonly ExpectationProblem[] {
  const { expect, until } = step as { readonly expect?: unknown; readonly until?: unknown };
  const vacant = verb === "expect" ? vacantSources(expect) : [];
  const strange = verb === "expect" ? strangeMembers(expect) : [];
  return [...vacant, ...strange, ...problemsIn(expect, ["expect"]), ...problemsIn(until, ["until"])];
}

/** An expectation without expected values would always pass. */
function vacantSources(expect: unknown): readonly ExpectationProblem[] {
  const sources = Object.entries(expect as Readonly<Record<string, object>>);
  return sources.flatMap(([source, fields]) => {
    const names = Object.keys(fields);
    return names.length > 0 && names.every((name) => isSelector(source, name))
      ? [
          {
            path: ["expect", source],
            text: `${names.join(", ")} only selects what is checked; add the expected result`,
          },
        ]
      : [];
  });
}

function strangeMembers(expect: unknown): readonly ExpectationProblem[] {
  const sources = expect as Readonly<Record<string, { readonly where?: unknown }>>;
  return (["deliveries", "journal"] as const).flatMap((source) => {
    const where = sources[source]?.where;
    if (typeof where !== "object" || where === null || Array.isArray(where)) return [];
    return memberProblems(source, where).map((text) => ({ path: ["expect", source, "where"], text }));
  });
}

function problemsIn(value: unknown, path: Keys): readonly ExpectationProblem[] {
  if (typeof value === "string") return wordProblems(value, path);
  if (typeof value !== "object" || value === null) return [];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  const within = members.flatMap(([name, member]) =>
    name === "$regex" || name === "$unique" ? [] : problemsIn(member, [...path, name]),
  );
  return Array.isArray(value) ? within : [...problemsOf(value, path), ...within];
}

function problemsOf(value: object, path: Keys): readonly ExpectationProblem[] {
  const names = Object.keys(value);
  if (names.length === 0 && path.length > 0)
    return [
      {
        path,
        text: "it expects nothing, as {} matches every object and list; name a member, or give $object",
      },
    ];
  const [name] = names.filter((each) => isMatcher(each));
  const strange = names[0]?.startsWith("$") && !names[0].startsWith("${") ? names[0] : undefined;
  if (name === undefined && strange === undefined) return [];
  if (name === undefined) return [{ path, text: unknownMatcher(String(strange), MATCHER_NAMES) }];
  if (names.length > 1) return [{ path, text: `${name} must be the only member here; remove the others` }];
  const text = problemOfArgument(name, Object.values(value)[0]);
  return text === undefined ? [] : [{ path: [...path, name], text: `${name} takes ${text}` }];
}

function wordProblems(value: string, path: Keys): readonly ExpectationProblem[] {
  if (!/^\$[A-Za-z]+$/.test(value) || WORD_NAMES.includes(value)) return [];
  return [{ path, text: unknownMatcher(value, WORD_NAMES) }];
}

function unknownMatcher(name: string, validNames: readonly string[]): string {
  return `${name} is not a matcher; ${hintFor(name, validNames, `give ${validNames.join(", ")}`)}`;
}

type Members = Readonly<Record<string, unknown>>;

/** Times, durations and words of faults of a step that cannot be read; those with variables are known only when it is played. */
export function momentProblems(verb: Verb, step: GivenStep): readonly ExpectationProblem[] {
  if (verb === "advance") return advanceProblems((step as GivenStep<"advance">).advance);
  if (verb === "fault") {
    const { fault } = step as GivenStep<"fault">;
    const words = faultWordProblems(fault).map(({ path, text }) => ({ path: ["fault", ...path], text }));
    return [...faultProblems(fault), ...words];
  }
  if (verb !== "seed") return [];
  const { from, to } = ((step as GivenStep<"seed">).seed.traces ?? {}) as Members;
  return [...timeProblems(from, ["seed", "traces", "from"]), ...timeProblems(to, ["seed", "traces", "to"])];
}

function advanceProblems(advance: GivenStep<"advance">["advance"]): readonly ExpectationProblem[] {
  if (typeof advance === "string") return durationProblem(advance, ["advance"]);
  return [
    ...durationProblem(advance.by, ["advance", "by"]),
    ...durationProblem(advance.within, ["advance", "within"]),
    ...timeProblems(advance.to, ["advance", "to"]),
    ...untilProblem(advance.until, ["advance", "until"]),
  ];
}

function untilProblem(value: AdvanceTarget["until"], path: readonly string[]): readonly ExpectationProblem[] {
  if (value === undefined || JSON.stringify(value).includes("${") || parseUntil(value) !== undefined)
    return [];
  return [{ path, text: `${JSON.stringify(value)} is not valid; write ${UNTIL_FORMS}` }];
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
  return [
    { path, text: `${JSON.stringify(value)} is not a duration; write one such as ${DURATION_EXAMPLES}` },
  ];
}

function timeProblems(value: unknown, path: readonly string[]): readonly ExpectationProblem[] {
  if (!isKnown(value) || parseInstant(value) !== undefined) return [];
  return [
    {
      path,
      text: `${JSON.stringify(value)} ${timeProblem(value, "an ISO 8601 time with a zone, such as 2026-03-01T00:00:00Z")}`,
    },
  ];
}

/** A text without variables. */
function isKnown(value: unknown): value is string {
  return typeof value === "string" && !value.includes("${");
}
