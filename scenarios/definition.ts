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
  description:
    "Variables to set: the name of each, and the path of its value in the body of the reply; `headers.<name>` is a header, such as `headers.retry-after`.",
  propertyNames: { pattern: VARIABLE },
});

const expected = anything({
  description:
    "What is expected: objects compare the members that are named, by name or by path (`runs.0.id`, `*.status`); " +
    "`$uuid`, `$time`, `$any`, `$absent`, `{$regex}`, `{$within}` and the other matchers stand for values.",
});

const replyExpectation = closed(
  {
    status: optional(describedAs(expected, "The status code.")),
    headers: optional(mapOf(expected, { description: "Headers by name, in any case." })),
    body: optional(describedAs(expected, "The body, parsed if it is JSON.")),
  },
  { description: "The expected reply; without it any status below 400 passes." },
);

/** The same field with a description of its own. */
function describedAs<T>(field: Field<T>, description: string): Field<T> {
  return { ...field, description };
}

const CALL = {
  headers: optional(mapOf(text(), { description: "Headers in addition to key and workspace." })),
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
    file: optional(
      text({
        description:
          "A file of trace runs, relative to the scenario: a JSON array, an object with the list `post`, or .ndjson with a run per line.",
      }),
    ),
    project: optional(text({ description: "The project of runs and file." })),
    bucket: optional(text({ description: "A bucket of the object store." })),
    credential: optional(freeForm({ description: "A key pair of the object store." })),
  },
  { description: "Data to create." },
);

const moveBounds = {
  by: optional(text({ description: "A duration: `6h`, `1d12h`, `PT6H`." })),
  to: optional(text({ description: "An ISO 8601 time." })),
  next: optional(eitherOf([integer({ minimum: 1 }), text()], { description: "Number of events." })),
  until: optional(
    eitherOf(
      [
        text(),
        closed({
          export: text({ description: "The id of the export." }),
          status: optional(text({ description: "Its status; default COMPLETED." })),
        }),
      ],
      {
        description: `${UNTIL_FORMS[0]?.toUpperCase()}${UNTIL_FORMS.slice(1)}; also { export: <id>, status: <status> }.`,
      },
    ),
  ),
  within: optional(text({ description: "How far `until` looks ahead for an export; default 30d." })),
};

const objectsExpectation = closed({
  bucket: optional(text({ description: "The bucket to list; default `traces`." })),
  prefix: optional(text({ description: "Only keys that begin with it." })),
  count: optional(describedAs(expected, "The number of keys.")),
  keys: optional(describedAs(expected, "The keys, as a list.")),
});

const parquetExpectation = closed({
  export: text({ description: "The id of the export whose files are read." }),
  files: optional(describedAs(expected, "The number of files.")),
  rows: optional(describedAs(expected, "The number of rows in all files.")),
  columns: optional(describedAs(expected, "The names of the columns, as a list.")),
  values: optional(mapOf(expected, { description: "All values of a column, as a list." })),
});

const verifyExpectation = closed({
  export: text({ description: "The id of the export that is verified." }),
  ok: optional(describedAs(expected, "Whether the files have what they should.")),
  rows: optional(describedAs(expected, "The number of rows.")),
  files: optional(describedAs(expected, "The number of files.")),
  problems: optional(describedAs(expected, "The problems, as a list.")),
});

const listExpectation = closed({
  where: optional(describedAs(expected, "Only items that match it.")),
  count: optional(describedAs(expected, "The number of items.")),
  list: optional(describedAs(expected, "The items.")),
});

const expectGiven = closed(
  {
    objects: optional(describedAs(objectsExpectation, "The keys of a bucket.")),
    parquet: optional(describedAs(parquetExpectation, "The rows in the files of an export.")),
    verify: optional(
      describedAs(verifyExpectation, "The result of comparing an export's files with the traces sent."),
    ),
    deliveries: optional(describedAs(listExpectation, "The webhook deliveries.")),
    journal: optional(describedAs(listExpectation, "The turns of the journal.")),
    variables: optional(mapOf(expected, { description: "Variables by name or path." })),
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
    request: text({
      pattern: "^[A-Z]+ .",
      title: "a method and a path, such as GET /ok",
      description: "Method and path, for example `GET /ok`.",
    }),
    region: optional(oneOf(["us", "eu"], { description: "The region that is called; default `us`." })),
    ...CALL,
  }),
  control: step("Calls an operation of the control API.", {
    ...COMMON,
    control: text({
      pattern: "^[A-Z]+ /",
      title: "a method and a path, such as GET /status",
      description: "Method and path below /_emulator/v1.",
    }),
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
  fault: step("Arms a fault, which has to trigger unless it is `optional`.", {
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
    steps: describedAs(stepList(), "The steps of a round."),
  }),
  include: step("Plays the steps of another file.", {
    ...COMMON,
    include: text({ description: "A YAML file with the list `steps`, relative to this one." }),
    with: optional(
      mapOf(anything(), { description: "Variables for these steps.", propertyNames: { pattern: VARIABLE } }),
    ),
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
  variables: optional(
    mapOf(anything(), {
      description: "Values by name, which steps insert as `${…}`.",
      propertyNames: { pattern: VARIABLE },
    }),
  ),
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
