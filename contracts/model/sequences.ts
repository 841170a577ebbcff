import {
  type Arbitrary,
  type AsyncCommand,
  commands,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
  subarray,
} from "fast-check";
import { LISTED_STATUSES, RUN_MEMBERS, UNLISTED_STATUS } from "../facts/agent.ts";
import { EXPORT_REQUIRED, INTERVAL_HOURS } from "../facts/bulk-exports.ts";
import { COLUMN_NAMES } from "../facts/columns.ts";
import { commandOf, type Model, type Server, type Step } from "./steps.ts";
import { UNKNOWN_THREAD } from "./thread-steps.ts";

/** Steps of one sequence. */
const MAX_STEPS = 60;
const NONSENSE = "nonsense";
const { least, most } = INTERVAL_HOURS;

/** A value, or undefined for every two values `weight` times. */
const maybe = <T>(values: Arbitrary<T>, weight = 1) =>
  oneof({ arbitrary: constant(undefined), weight }, { arbitrary: values, weight: 2 });
/** Some of these names, and now and then one that does not exist. */
const names = (ids: readonly string[]) =>
  oneof(
    { arbitrary: subarray([...ids], { minLength: 1 }), weight: 5 },
    { arbitrary: constant([NONSENSE]), weight: 1 },
  );
/** Mostly the first thread, so that it has some runs. */
const THREAD = oneof({ arbitrary: constant(0), weight: 7 }, { arbitrary: constant(1), weight: 1 });
const LISTED_THREAD = oneof(
  { arbitrary: THREAD, weight: 12 },
  { arbitrary: constant(UNKNOWN_THREAD), weight: 1 },
);

/** Mostly those that runs of every server have, so that a thread has some of them and some others. */
const STATUS = oneof(
  { arbitrary: constantFrom("success", "pending"), weight: 6 },
  { arbitrary: constantFrom(...LISTED_STATUSES), weight: 3 },
  { arbitrary: constantFrom(UNLISTED_STATUS, NONSENSE), weight: 1 },
);

const THREAD_STEPS: readonly Arbitrary<Step>[] = [
  record({
    do: constantFrom("start"),
    thread: THREAD,
    by: constantFrom("", "", "", "/wait", "/stream"),
    assistant: nat(5),
    count: integer({ min: 1, max: 6 }),
    marker: nat(1e9).map((number) => number.toString(36)),
  }),
  record({
    do: constantFrom("list"),
    thread: LISTED_THREAD,
    query: record({
      limit: maybe(oneof(integer({ min: 1, max: 4 }), integer({ min: 1, max: 12 }))),
      offset: maybe(nat(8)),
      status: maybe(STATUS),
      select: maybe(names(RUN_MEMBERS), 5),
    }),
  }),
  record({ do: constantFrom("settle"), thread: THREAD }),
];

const EXPORT_STEPS: readonly Arbitrary<Step>[] = [
  record({
    do: constantFrom("order"),
    days: integer({ min: 1, max: 3 }),
    hours: maybe(constantFrom(least, most, least - 1, least + 1, most - 1, most + 1, 1.5), 3),
    wrong: maybe(constantFrom(...EXPORT_REQUIRED), 12),
    fields: maybe(names(COLUMN_NAMES), 6),
  }),
  record({ do: constantFrom("read", "runs", "cancel"), export: nat(8) }),
  record({ do: constantFrom("exports") }),
  record({ do: constantFrom("pass"), by: constantFrom("PT1S", "PT30S", "PT1H", "P1D") }),
];

/** Sequences of requests; lists of runs are as frequent as all that changes them. */
export function sequences(): Arbitrary<Iterable<AsyncCommand<Model, Server>>> {
  const [start, list, settle] = THREAD_STEPS as [Arbitrary<Step>, Arbitrary<Step>, Arbitrary<Step>];
  const step = oneof(
    { arbitrary: start, weight: 4 },
    { arbitrary: list, weight: 16 },
    { arbitrary: settle, weight: 4 },
    ...EXPORT_STEPS.map((arbitrary) => ({ arbitrary, weight: 2 })),
  );
  return commands([step.map(commandOf)], { maxCommands: MAX_STEPS, size: "max" });
}
