import { performance } from "node:perf_hooks";
import type { ReportPart } from "../contracts/report/model.ts";
import { partOf, type Shard } from "./shard.ts";
import { type Exploration, type Subject, type TrialResult, type Trials, trialsHere } from "./trials.ts";
import { INTERRUPTED, untilStopped } from "./until-stopped.ts";

interface NotRun {
  readonly subject: string;
  readonly trial: string;
  readonly why: string;
}

/** Why a subject without trials shows nothing. */
const NO_POINT = "it has nothing that this changes";

export interface ExplorationReport {
  readonly name: string;
  readonly results: readonly TrialResult[];
  /** Trials that a bound has left out, and subjects without trials. */
  readonly notRun: readonly NotRun[];
  /** Subjects whose baseline does not pass: they show nothing. */
  readonly refused: readonly { readonly subject: string; readonly why: string }[];
  readonly part: ReportPart;
}

/** Bounds of an exploration. */
export interface ExplorationOptions {
  readonly jobs: number;
  /** Trials of one subject run at most, evenly chosen. */
  readonly perSubject?: number | undefined;
  /** Trials run at most. */
  readonly maxRuns: number;
  /** Wall-clock milliseconds after which no trial begins. */
  readonly budgetMs?: number | undefined;
  readonly shard?: Shard | undefined;
  /** Keeps the trials of this name only. */
  readonly only?: string | undefined;
  /** When it is aborted, no further trial begins and running ones are abandoned. */
  readonly stop?: AbortSignal;
  readonly onProgress?: (done: number, total: number, latest: string) => void;
  /** Where they are played, if not here. */
  readonly trials?: Trials;
}

interface PlannedTrial {
  /** The number of the subject. */
  readonly at: number;
  readonly trial: string;
  readonly rank: number;
}

/** Plays the baseline of every subject, and then its trials; those of one name are played one after another. */
export async function explore<Found>(
  subjects: readonly Subject[],
  exploration: Exploration<Found>,
  options: ExplorationOptions,
): Promise<ExplorationReport> {
  const deadline = performance.now() + (options.budgetMs ?? Number.POSITIVE_INFINITY);
  const { trials = trialsHere(subjects, exploration) } = options;
  const { plans, refused, empty, stopped } = await plan(subjects, trials, options);
  const nameOf = (at: number): string => subjects[at]?.name ?? "";
  const { chosen, left, part } = chosenOf(plans, nameOf, options);
  const results: TrialResult[] = [];
  const notRun: NotRun[] = [
    // Each shard plays all baselines; the first one reports these.
    ...((options.shard?.index ?? 1) === 1 ? empty : []),
    ...stopped,
    ...left.map(({ at, trial }) => ({ subject: nameOf(at), trial, why: "give --all" })),
  ];
  let done = 0;
  await sideBySide(chosen, options.jobs, async ({ at, trial }, index) => {
    const isLate = performance.now() >= deadline;
    const why = index >= options.maxRuns ? "--max-runs" : isLate ? "--budget" : undefined;
    const result = why === undefined ? await untilStopped(() => trials.run(at, trial), options.stop) : why;
    if (typeof result === "string") return void notRun.push({ subject: nameOf(at), trial, why: result });
    results[index] = result;
    done += 1;
    options.onProgress?.(done, chosen.length, `${nameOf(at)} ${trial}`);
  });
  return { name: exploration.name, results: uniqueResults(results), notRun, refused, part };
}

/** Each result once: several trials may be reduced to the same smaller one. */
export function uniqueResults(results: readonly TrialResult[]): readonly TrialResult[] {
  const resultsByName = new Map<string, TrialResult>();
  for (const result of results.filter(Boolean)) resultsByName.set(`${result.file}\n${result.trial}`, result);
  return [...resultsByName.values()];
}

async function plan(
  subjects: readonly Subject[],
  trials: Trials,
  { jobs, stop, onProgress }: ExplorationOptions,
) {
  const plans: PlannedTrial[][] = [];
  // By subject: they end in another order.
  const refusals: ExplorationReport["refused"][number][] = [];
  const empty: NotRun[] = [];
  const stopped: NotRun[] = [];
  await sideBySide(subjects, jobs, async (subject, at) => {
    const planned = await untilStopped(() => trials.plan(at), stop);
    if (planned === INTERRUPTED)
      return void stopped.push({ subject: subject.name, trial: "baseline", why: planned });
    if ("refused" in planned) {
      refusals[at] = { subject: subject.name, why: planned.refused };
      return;
    }
    if (planned.trials.length === 0) empty[at] = { subject: subject.name, trial: "none", why: NO_POINT };
    plans[at] = planned.trials.map(({ name, rank = 0 }) => ({ at, trial: name, rank }));
    onProgress?.(at + 1, subjects.length, `baseline of ${subject.name}`);
  });
  return {
    plans: plans.filter(Boolean),
    refused: refusals.filter(Boolean),
    empty: empty.filter(Boolean),
    stopped,
  };
}

/** The trials to run, and those beyond the bound for each subject. */
function chosenOf(
  plans: readonly (readonly PlannedTrial[])[],
  nameOf: (at: number) => string,
  { shard, only, perSubject }: ExplorationOptions,
) {
  const matchingPlans = plans.map((plan) => plan.filter(({ trial }) => only === undefined || trial === only));
  const selectedPlans = matchingPlans.map((plan) => evenly(plan, perSubject ?? plan.length));
  const selection = selectedPlans.flat();
  // Trials with the same difference share emulators.
  const names = [...new Set(selection.map(({ trial }) => trial))];
  const ordered = names.flatMap((each) => selection.filter(({ trial }) => trial === each));
  const remainingTrials = matchingPlans.flatMap((plan, at) =>
    plan.filter((each) => !selectedPlans[at]?.includes(each)),
  );
  const { items: chosenTrials, part } = partOf(ordered, ({ at, trial }) => `${nameOf(at)}: ${trial}`, shard);
  return { chosen: chosenTrials, left: partOf(remainingTrials, ({ trial }) => trial, shard).items, part };
}

/** The trials of the lowest ranks, and of the last of these ranks evenly chosen ones, in the order of the plan. */
function evenly(plan: readonly PlannedTrial[], most: number): readonly PlannedTrial[] {
  const chosenTrials = new Set<PlannedTrial>();
  for (const rank of [...new Set(plan.map((each) => each.rank))].sort((left, right) => left - right)) {
    const items = plan.filter((each) => each.rank === rank);
    const count = Math.min(items.length, most - chosenTrials.size);
    for (let at = 0; at < count; at += 1)
      chosenTrials.add(items[Math.floor((at * items.length) / count)] as PlannedTrial);
  }
  return plan.filter((each) => chosenTrials.has(each));
}

async function sideBySide<T>(
  items: readonly T[],
  jobs: number,
  act: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const waiting = [...items.entries()];
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) await act(next[1], next[0]);
  }
  await Promise.all(Array.from({ length: Math.min(jobs, items.length) }, work));
}
