import {
  FAULT_POINT_NAMES,
  FAULT_PRESETS,
  FAULT_REGIONS,
  FAULT_TARGETS,
  type FaultMember,
  type MatchKind,
  PROCESSING_ERRORS,
  type ThenKind,
} from "../contracts/spec/faults.ts";
import {
  anything,
  boolean,
  closed,
  eitherOf,
  type Field,
  integer,
  listOf,
  mapOf,
  optional,
  text,
} from "../contracts/spec/fields.ts";
import { OPERATIONS } from "../contracts/spec/operations.ts";

/** A number, or a text with a variable that holds one. */
const number = eitherOf([integer({ minimum: 0 }), text()]);

/** Operations by their ids and by method and path; patterns fit as well. */
const OPERATION_NAMES = Object.entries(OPERATIONS).flatMap(([id, { method, path }]) => [
  id,
  `${method} ${path}`,
]);

const MATCH: Readonly<Record<MatchKind, Field<unknown>>> = {
  text: oneOrMore(text()),
  id: oneOrMore(text()),
  point: oneOrMore(wordOf([...FAULT_POINT_NAMES, "*"])),
  s3_operation: oneOrMore(text()),
  operation: oneOrMore(suggested(OPERATION_NAMES)),
  region: oneOrMore(wordOf([...FAULT_REGIONS, "*"])),
  number: oneOrMore(number),
  count: number,
};

const THEN: Readonly<Record<ThenKind, Field<unknown>>> = {
  yes: boolean(),
  duration: text(),
  processing_error: wordOf(PROCESSING_ERRORS),
  s3_error: text(),
  name_or_yes: eitherOf([boolean(), text()]),
  status: number,
  copies: number,
  json: anything(),
  headers: mapOf(text()),
};

/** A fault as for `POST /faults`. The emulator checks which members go together. */
export const faultGiven = closed(
  {
    preset: optional({
      ...wordOf(Object.keys(FAULT_PRESETS)),
      description: "A named fault, instead of `target` and `then`.",
    }),
    target: optional({ ...wordOf(Object.keys(FAULT_TARGETS)), description: "What it affects." }),
    plane: optional({ ...wordOf(Object.keys(FAULT_TARGETS)), description: "The former name of `target`." }),
    match: optional(
      closed(matchMembers(), { description: "When it triggers; the keys depend on the target." }),
    ),
    then: optional(closed(thenMembers(), { description: "What happens; the keys depend on the target." })),
    times: optional({ ...number, description: "How many times it triggers; default 1." }),
    ttl: optional(text({ description: "Virtual time after which it expires, a duration such as `6h`." })),
    optional: optional(
      boolean({ description: "If true, the scenario also passes when the fault does not trigger." }),
    ),
  },
  {
    title: "a rule or a preset, such as { preset: worker_crash }",
    description: "A rule or a preset, as POST /faults takes it.",
  },
);

/** Keys of all targets; one that two targets read differently takes what either does. */
function matchMembers() {
  const kinds: Record<string, MatchKind> = {};
  for (const { match } of Object.values(FAULT_TARGETS)) Object.assign(kinds, match);
  return Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, optional(MATCH[kind])]));
}

function thenMembers() {
  const members = Object.values(FAULT_TARGETS).flatMap(({ then }) => Object.entries<FaultMember>(then));
  return Object.fromEntries(
    members.map(([name, { takes, meaning }]) => [name, optional({ ...THEN[takes], description: meaning })]),
  );
}

function oneOrMore(field: Field<unknown>): Field<unknown> {
  return eitherOf([field, listOf(field)]);
}

/** One of these words, or a text with a variable. */
function wordOf(names: readonly string[]): Field<string> {
  return { type: "string", if: { not: { pattern: "\\$\\{" } }, then: { enum: names } };
}

/** Any text; editors offer these. */
function suggested(names: readonly string[]): Field<string> {
  return { anyOf: [{ enum: names }, { type: "string" }] };
}
