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
import { type Contract, Lacking } from "../engine/contract.ts";
import { LISTED_STATUSES, RUN_MEMBERS, UNLISTED_STATUS } from "../facts/agent.ts";
import { EXPORT_REQUIRED, INTERVAL_HOURS } from "../facts/bulk-exports.ts";
import { COLUMN_NAMES } from "../facts/columns.ts";
import { type ExportStep, type Exports, takeExportStep } from "./export-steps.ts";
import { forgetRuns } from "./thread-model.ts";
import { type ThreadStep, type Threads, takeThreadStep, UNKNOWN_THREAD } from "./thread-steps.ts";

/** What the model knows of a server during one sequence of requests. */
export interface Model extends Threads, Exports {}

export function newModel(): Model {
  return { threads: new Map(), exports: [], order: undefined, assistants: undefined };
}

/** A request, or a few that belong together; `pass` advances the clock. */
export type Step = ThreadStep | ExportStep | { readonly do: "pass"; readonly by: string };

/** The server that requests are sent to. */
export interface Server {
  readonly t: Contract;
  /** What the server does not have, by step. */
  readonly lacking: Map<Step["do"], string>;
}

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

/** A step as a command of fast-check. */
function commandOf(step: Step): AsyncCommand<Model, Server> {
  return {
    check: (model) => !("export" in step) || model.exports.length > 0,
    async run(model, { t, lacking }) {
      if (lacking.has(step.do)) return;
      try {
        await take(step, model, t);
      } catch (error) {
        if (!(error instanceof Lacking)) throw error;
        lacking.set(step.do, error.message);
      }
    },
    toString: () => JSON.stringify(step),
  };
}

async function take(step: Step, model: Model, t: Contract): Promise<void> {
  if (step.do === "start" || step.do === "list" || step.do === "settle")
    return takeThreadStep(step, model, t);
  if (step.do !== "pass") return takeExportStep(step, model, t);
  if (!t.has("clock")) return;
  for (const threadModel of model.threads.values()) forgetRuns(threadModel);
  await t.advance(step.by);
}
