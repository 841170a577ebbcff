import { performance } from "node:perf_hooks";
import type { Conditions, Played, PlayedFailure } from "./conditions.ts";
import { partOf, type Shard } from "./shard.ts";

/** What is played several times: a scenario, or a command. */
export interface Subject {
  readonly name: string;
  /** The file or the folder that it is in. */
  readonly file: string;
  play<Found>(conditions: Conditions<Found>): Promise<Played<Found>>;
  /** The command that repeats one trial. */
  again(trial: string): string;
}

/** One more time that something is played, in another way than its baseline. */
export interface Trial {
  /** Unique within its subject, for example `agent.list_order=oldest first`. */
  readonly name: string;
  /** The section of the specification that it is about, without `§`. */
  readonly section: string;
  /** What is different from the baseline, in one clause. */
  readonly differs: string;
  /** What it shows when the subject does not hold. */
  readonly means: string;
  /** `end` answers what is wrong with the world after the last request. */
  readonly conditions: Conditions<readonly string[]>;
  /** True when a failed step says nothing: only what `end` finds counts. */
  readonly worldAlone?: true;
  /** Trials that differ in less; they are played when this one does not hold, to find what it is about. */
  readonly smaller?: () => readonly Trial[];
}

/** What a family of trials is made of: a baseline, and the trials that follow from what it finds. */
export interface Exploration<Found> {
  readonly name: string;
  readonly baseline: Conditions<Found>;
  trialsOf(found: Found): readonly Trial[];
}

/** The outcome of a trial. */
export interface TrialResult {
  readonly subject: string;
  readonly file: string;
  readonly trial: string;
  readonly section: string;
  readonly differs: string;
  readonly means: string;
  /** `held`: as the baseline; `differs`: a step or the world is not; `broken`: it cannot be played so. */
  readonly verdict: "held" | "differs" | "broken";
  /** The first failed step. */
  readonly failure: Pick<PlayedFailure, "label" | "place"> | undefined;
  readonly differences: readonly string[];
  readonly durationMs: number;
  /** The command that repeats it. */
  readonly again: string;
}

interface NotRun {
  readonly subject: string;
  readonly trial: string;
  readonly why: string;
}

/** What became of an exploration. */
export interface ExplorationReport {
  readonly name: string;
  readonly results: readonly TrialResult[];
  /** Trials that a bound has left out. */
  readonly notRun: readonly NotRun[];
  /** Subjects whose baseline does not pass: they show nothing. */
  readonly refused: readonly { readonly subject: string; readonly why: string }[];
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
  readonly onProgress?: (done: number, total: number, latest: string) => void;
}

interface PlannedTrial {
  readonly subject: Subject;
  readonly trial: Trial;
}

/** Plays the baseline of every subject, and then its trials; those of one name are played one after another. */
export async function explore<Found>(
  subjects: readonly Subject[],
  exploration: Exploration<Found>,
  options: ExplorationOptions,
): Promise<ExplorationReport> {
  const deadline = performance.now() + (options.budgetMs ?? Number.POSITIVE_INFINITY);
  const { plans, refused } = await plan(subjects, exploration, options);
  const { chosen, left } = chosenOf(plans, options);
  const results: TrialResult[] = [];
  const notRun: NotRun[] = left.map(({ subject, trial }) => ({
    subject: subject.name,
    trial: trial.name,
    why: "give --all",
  }));
  let done = 0;
  await sideBySide(chosen, options.jobs, async ({ subject, trial }, index) => {
    const isLate = performance.now() >= deadline;
    const why = index >= options.maxRuns ? "--max-runs" : isLate ? "--budget" : undefined;
    if (why !== undefined) return void notRun.push({ subject: subject.name, trial: trial.name, why });
    results[index] = await narrowed(subject, trial);
    done += 1;
    options.onProgress?.(done, chosen.length, `${subject.name} ${trial.name}`);
  });
  return { name: exploration.name, results: once(results), notRun, refused };
}

/** Several trials may come down to the same smaller one. */
function once(results: readonly TrialResult[]): readonly TrialResult[] {
  const found = new Map<string, TrialResult>();
  for (const result of results.filter(Boolean)) found.set(`${result.file}\n${result.trial}`, result);
  return [...found.values()];
}

async function plan<Found>(
  subjects: readonly Subject[],
  { name, baseline, trialsOf }: Exploration<Found>,
  { jobs, onProgress }: ExplorationOptions,
) {
  const plans: PlannedTrial[][] = [];
  const refused: ExplorationReport["refused"][number][] = [];
  await sideBySide(subjects, jobs, async (subject, index) => {
    const { failure, found, problem } = await subject.play(baseline);
    const why = problem ?? (failure && [failure.label, ...failure.differences.slice(0, 1)].join(": "));
    if (why !== undefined || found === undefined) {
      const advice = `it does not pass without ${name} (${why}); make it pass first`;
      return void refused.push({ subject: subject.name, why: advice });
    }
    plans[index] = trialsOf(found).map((trial) => ({ subject, trial }));
    onProgress?.(index + 1, subjects.length, `baseline of ${subject.name}`);
  });
  return { plans: plans.filter(Boolean), refused };
}

/** What is run of the plans of all subjects, and what a bound for each subject leaves out. */
function chosenOf(
  plans: readonly (readonly PlannedTrial[])[],
  { shard, only, perSubject }: ExplorationOptions,
) {
  const named = plans.map((plan) => plan.filter(({ trial }) => only === undefined || trial.name === only));
  const kept = named.map((plan) => evenly(plan, perSubject ?? plan.length));
  const all = kept.flat();
  // What differs in the same way shares emulators.
  const names = [...new Set(all.map(({ trial }) => trial.name))];
  const ordered = names.flatMap((each) => all.filter(({ trial }) => trial.name === each));
  const left = named.flatMap((plan, at) => plan.filter((each) => !kept[at]?.includes(each)));
  return { chosen: partOf(ordered, shard), left: partOf(left, shard) };
}

function evenly<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, at) => items[Math.floor((at * items.length) / most)] as T);
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

/** The result of a trial, or of the smallest part of it that does not hold either. */
async function narrowed(subject: Subject, trial: Trial): Promise<TrialResult> {
  const result = await tried(subject, trial);
  if (result.verdict !== "differs") return result;
  for (const smaller of trial.smaller?.() ?? []) {
    const found = await narrowed(subject, smaller);
    if (found.verdict === "differs") return found;
  }
  return result;
}

async function tried(subject: Subject, trial: Trial): Promise<TrialResult> {
  const begun = performance.now();
  const { failure: failed, found = [], problem } = await subject.play(trial.conditions);
  const failure = trial.worldAlone ? undefined : failed;
  const differences = problem === undefined ? [...(failure?.differences ?? []), ...found] : [problem];
  return {
    subject: subject.name,
    file: subject.file,
    trial: trial.name,
    section: trial.section,
    differs: trial.differs,
    means: trial.means,
    verdict: problem !== undefined ? "broken" : failure || differences.length > 0 ? "differs" : "held",
    failure: failure && { label: failure.label, place: failure.place },
    differences,
    durationMs: performance.now() - begun,
    again: subject.again(trial.name),
  };
}
