import { LISTED_STATUSES, MULTITASK_STRATEGIES } from "../../../contracts/spec/agent/lifecycle.ts";
import { RUN_FIELD_NAMES } from "../../../contracts/spec/agent/resources.ts";
import { DESTINATION_ERRORS, EXPORT_FAILURES } from "../../../contracts/spec/failures.ts";
import { EXPORT_MOVES } from "../../../contracts/spec/lifecycle.ts";
import { RATE_LIMIT_IDS, RATE_LIMITS, type RateLimit } from "../../../contracts/spec/rate-limits/rows.ts";
import { VERSION_GATES } from "../../../contracts/spec/versions.ts";
import { mistakes, type Row } from "../row.ts";

/** A server whose table has another value. */
const other = (does: string, about: string, table: string, assignment: string) =>
  mistakes({ [`${about}: ${does}`]: { edit: { file: `contracts/spec/${table}.ts`, to: assignment } } });

const withoutWord = (list: string, words: readonly string[], about: string, table: string) =>
  words.flatMap((word, index) =>
    other(`${list} lacks ${word}`, about, table, `${list}.splice(${index}, 1);`),
  );

function shifted(version: string, by: number): string {
  return version.replace(/\d+$/, (patch) => String(Number(patch) + by));
}

const gates = Object.entries(VERSION_GATES).flatMap(([gate, { feature: _, requirement, ...components }]) =>
  Object.entries(components).flatMap(([component, version]) =>
    [-1, 1].flatMap((by) => {
      const value = `VERSION_GATES.${gate}.${component} = "${shifted(version, by)}";`;
      return other(
        `${gate} begins with ${component} ${shifted(version, by)}`,
        requirement,
        "versions",
        value,
      );
    }),
  ),
);

const moves = EXPORT_MOVES.flatMap(({ from, trigger, to, requirement }, index) => {
  const wrong = to === "FAILED" ? "COMPLETED" : "FAILED";
  const does = `${trigger} leads from ${from} to ${wrong}`;
  return other(does, requirement, "lifecycle", `EXPORT_MOVES[${index}].to = "${wrong}";`);
});

const failures = Object.entries(EXPORT_FAILURES).flatMap(([name, { retry, requirement }]) =>
  // It ends the whole export.
  name === "workflow_timeout"
    ? []
    : other(
        `${name} is ${retry ? "not retried" : "retried"}`,
        requirement,
        "failures",
        `EXPORT_FAILURES.${name}.retry = ${!retry};`,
      ),
);

const errors = Object.entries(DESTINATION_ERRORS).flatMap(([name, { requirement }]) =>
  other(
    `${name} has another name`,
    requirement,
    "failures",
    `DESTINATION_ERRORS.${name}.message = "Refused.";`,
  ),
);

/** Wrong values in the table of §8.5. */
export const RATE_TABLE_MISTAKES: readonly Row[] = RATE_LIMIT_IDS.flatMap((id) => {
  const { matches, identity, isNewer }: RateLimit = RATE_LIMITS[id];
  if (isNewer) return [];
  const row = (does: string, assignment: string) =>
    other(does, `8.5/${id.replaceAll("_", "-")}`, "rate-limits/rows", `RATE_LIMITS.${id}.${assignment};`);
  return [
    ...row("another category", 'category = "Other"'),
    ...row("counted by another identity", `identity = "${identity === "IP" ? "x-api-key" : "IP"}"`),
    ...matches.flatMap(({ kind, path }, index) =>
      kind === "any" ? [] : row(`another path instead of ${path}`, `matches[${index}].path += "-other"`),
    ),
  ];
});

/** Wrong values in the tables that the emulator runs on. */
export const TABLE_MISTAKES: readonly Row[] = [
  ...gates,
  ...moves,
  ...failures,
  ...errors,
  ...withoutWord("LISTED_STATUSES", LISTED_STATUSES, "2.1-4", "agent/lifecycle"),
  ...other("LISTED_STATUSES has running", "2.1-4", "agent/lifecycle", 'LISTED_STATUSES.push("running");'),
  ...withoutWord("MULTITASK_STRATEGIES", MULTITASK_STRATEGIES, "2.1-3", "agent/lifecycle"),
  ...other(
    "STREAM_MODES lacks events",
    "4.8-2",
    "agent/lifecycle",
    'STREAM_MODES.splice(STREAM_MODES.indexOf("events"), 1);',
  ),
  ...withoutWord("RUN_FIELD_NAMES", RUN_FIELD_NAMES, "4.1-2", "agent/resources"),
  ...[0, 2].flatMap((minimum) =>
    other(`interval_hours from ${minimum}`, "2.5-3", "limits", `INTERVAL_HOURS.minimum = ${minimum};`),
  ),
  ...[167, 169].flatMap((maximum) =>
    other(`interval_hours up to ${maximum}`, "2.5-3", "limits", `INTERVAL_HOURS.maximum = ${maximum};`),
  ),
  ...[9, 11].flatMap((limit) =>
    other(`${limit} runs by default`, "4.1-1", "limits", `LIST_RUNS.limit = ${limit};`),
  ),
  ...other("lists omit the first run", "4.1-1", "limits", "LIST_RUNS.offset = 1;"),
];
