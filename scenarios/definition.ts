import {
  anything,
  closed,
  eitherOf,
  type Field,
  type Fields,
  freeForm,
  integer,
  listOf,
  mapOf,
  oneOf,
  optional,
  type TypeOf,
  text,
} from "../contracts/spec/fields.ts";
import { UNTIL_FORMS } from "../emulator/client/until.ts";
import { MAX_ROUNDS, MAX_STEPS } from "./bounds.ts";
import { faultGiven } from "./faults.ts";

/** The scenario format: the parser's checks, the types and the published schema are derived from it. */

const VARIABLE = "^[A-Za-z_][A-Za-z0-9_]*$";

const captures = mapOf(text(), {
  description: "Variables to set: the name of each, and the path of its value in the reply.",
  propertyNames: { pattern: VARIABLE },
});

const expected = anything({
  description:
    "What is expected: objects compare the members that are named, by name or by path (`runs.0.id`, `*.status`); " +
    "`$uuid`, `$time`, `$any`, `$absent`, `{$regex}`, `{$within}` and the other matchers stand for values.",
});

const replyExpectation = closed(
  {
    status: optional(expected),
    headers: optional(mapOf(expected)),
    body: optional(expected),
  },
  { description: "The expected reply; without it any status below 400 passes." },
);

const CALL = {
  headers: optional(mapOf(text())),
  body: optional(anything({ description: "Sent as JSON; text is sent unchanged." })),
  expect: optional(replyExpectation),
  capture: optional(captures),
  collect: optional({ ...captures, description: "As capture, but each value is appended to a list." }),
};

const COMMON = {
  note: optional(text({ description: "Purpose of the step, shown when it fails." })),
};

const seedGiven = closed(
  {
    traces: optional(
      freeForm({
        description: "Sample traces: count, project, from, to, seed, shape (POST /traces/generate).",
      }),
    ),
    runs: optional(listOf(freeForm(), { description: "Trace runs, ingested unchanged." })),
    file: optional(text({ description: "A file of trace runs, relative to the scenario." })),
    project: optional(text({ description: "The project of runs and file." })),
    bucket: optional(text()),
    credential: optional(freeForm({ description: "A key pair of the object store." })),
  },
  { description: "Data to create." },
);

const moveBounds = {
  by: optional(text({ description: "A duration: `6h`, `1d12h`, `PT6H`." })),
  to: optional(text({ description: "An ISO 8601 time." })),
  next: optional(eitherOf([integer({ minimum: 1 }), text()], { description: "Number of events." })),
  until: optional(
    eitherOf([text(), closed({ export: text(), status: optional(text()) })], {
      description: `${UNTIL_FORMS[0]?.toUpperCase()}${UNTIL_FORMS.slice(1)}; also { export: <id>, status: <status> }.`,
    }),
  ),
  within: optional(text({ description: "How far `until` looks ahead for an export; default 30d." })),
};

const objectsExpectation = closed({
  bucket: optional(text()),
  prefix: optional(text()),
  count: optional(expected),
  keys: optional(expected),
});

const parquetExpectation = closed({
  export: text({ description: "The id of the export whose files are read." }),
  files: optional(expected),
  rows: optional(expected),
  columns: optional(expected),
  values: optional(mapOf(expected, { description: "All values of a column, as a list." })),
});

const verifyExpectation = closed({
  export: text(),
  ok: optional(expected),
  rows: optional(expected),
  files: optional(expected),
  problems: optional(expected),
});

const listExpectation = closed({
  where: optional(expected),
  count: optional(expected),
  list: optional(expected),
});

const expectGiven = closed(
  {
    objects: optional(objectsExpectation),
    parquet: optional(parquetExpectation),
    verify: optional(verifyExpectation),
    deliveries: optional(listExpectation),
    journal: optional(listExpectation),
    variables: optional(mapOf(expected)),
  },
  {
    description: "Checks the object store, Parquet files, webhook deliveries, the journal or variables.",
  },
);

const step = <const F extends Fields>(description: string, fields: F) => closed(fields, { description });

/** The verbs, each with the fields of its step. */
export const VERBS = {
  seed: step("Creates data.", { ...COMMON, seed: seedGiven, capture: CALL.capture }),
  request: step("Sends a request, and compares its reply.", {
    ...COMMON,
    request: text({ pattern: "^[A-Z]+ .", description: "Method and path, for example `GET /ok`." }),
    region: optional(oneOf(["us", "eu"])),
    ...CALL,
  }),
  control: step("Calls an operation of the control API.", {
    ...COMMON,
    control: text({ pattern: "^[A-Z]+ /", description: "Method and path below /_emulator/v1." }),
    ...CALL,
  }),
  advance: step("Moves the clock.", {
    ...COMMON,
    advance: eitherOf([text(), closed(moveBounds)], {
      description: "A duration, or what POST /clock/advance takes.",
    }),
    expect: CALL.expect,
    capture: CALL.capture,
  }),
  fault: step("Arms a fault, which has to hit unless it is `optional`.", {
    ...COMMON,
    fault: faultGiven,
    capture: CALL.capture,
  }),
  expect: step("Compares objects, files, deliveries, the journal or variables.", {
    ...COMMON,
    expect: expectGiven,
  }),
  repeat: step("Plays its steps again and again.", {
    ...COMMON,
    repeat: integer({
      minimum: 1,
      maximum: MAX_ROUNDS,
      description: "Maximum number of rounds; `${round}` counts from 0.",
    }),
    until: optional(
      mapOf(expected, { description: "Stops when the variables have these values; fails if they never do." }),
    ),
    steps: stepList(),
  }),
  include: step("Plays the steps of another file.", {
    ...COMMON,
    include: text({ description: "A file of steps, relative to this one." }),
    with: optional(mapOf(anything(), { propertyNames: { pattern: VARIABLE } })),
  }),
} as const;

/** The verbs of steps. */
export type Verb = keyof typeof VERBS;

/** A step as written in the file. */
export type GivenStep<V extends Verb = Verb> = { [Name in V]: TypeOf<(typeof VERBS)[Name]> }[V];

/** The members of a file other than steps. */
export const HEAD = {
  scenario: text({
    minLength: 1,
    title: "a sentence about the scenario, such as `scenario: an export of one day has one run`",
  }),
  seed: optional(integer({ minimum: 0, description: "Seed of ids and sample data; default 1." })),
  now: optional(text({ format: "date-time", description: "Virtual time at the start." })),
  settings: optional(
    freeForm({ description: "Configuration of the emulator, with the keys of the configuration file." }),
  ),
  variables: optional(mapOf(anything(), { propertyNames: { pattern: VARIABLE } })),
} as const;

/** The lists of steps, played in this order; each accepts every verb. */
export const SECTION_NAMES = ["given", "when", "then"] as const;

/** The content of a scenario file. */
export const SCENARIO = closed({
  ...HEAD,
  given: optional(stepList()),
  when: optional(stepList()),
  then: optional(stepList()),
});

/** The content of an included file. */
export const PART = closed({ steps: stepList() });

function stepList(): Field<readonly unknown[]> {
  return { type: "array", items: { $ref: "#/$defs/step" }, maxItems: MAX_STEPS };
}
