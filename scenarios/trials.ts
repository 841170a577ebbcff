import { performance } from "node:perf_hooks";
import type { Conditions, Played, PlayedFailure } from "./conditions.ts";

/** A scenario or a command that is played several times. */
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
  /** The difference from the baseline, in one clause. */
  readonly differs: string;
  /** The meaning of a failure. */
  readonly means: string;
  /** `end` returns the problems of the world after the last request. */
  readonly conditions: Conditions<readonly string[]>;
  /** Matches the last request before a failure that reads what is documented not to be kept. */
  readonly notKept?: RegExp;
  /** True when a failed step is ignored: only the findings of `end` count. */
  readonly worldAlone?: true;
  /** Trials of a lower rank are chosen first where not all are run; default 0. */
  readonly rank?: number;
  /** Trials that differ in less; they are played when this one does not hold, to find the cause. */
  readonly smaller?: () => readonly Trial[];
}

/** A family of trials: a baseline, and the trials that follow from its findings. */
export interface Exploration<Found> {
  readonly name: string;
  readonly baseline: Conditions<Found>;
  trialsOf(result: Found): readonly Trial[];
}

/** The outcome of a trial. */
export interface TrialResult {
  readonly subject: string;
  readonly file: string;
  readonly trial: string;
  readonly section: string;
  readonly differs: string;
  readonly means: string;
  /** `held`: as the baseline; `differs`: a step or the world is not; `broken`: it cannot be played so; `not kept`: as documented. */
  readonly verdict: "held" | "differs" | "broken" | "not kept";
  /** The first failed step. */
  readonly failure: Pick<PlayedFailure, "label" | "place"> | undefined;
  readonly differences: readonly string[];
  readonly durationMs: number;
  /** The command that repeats it. */
  readonly again: string;
}

/** The trials of a subject, or why its baseline shows nothing. */
export type Planned =
  | { readonly trials: readonly Omit<Trial, "conditions" | "smaller">[] }
  | { readonly refused: string };

/** Plays subjects, which are known by their numbers: here or elsewhere. */
export interface Trials {
  /** Plays the baseline of a subject. */
  plan(subject: number): Promise<Planned>;
  /** Plays one of its trials. */
  run(subject: number, trial: string): Promise<TrialResult>;
}

/** Plays them here; a baseline only once. */
export function trialsHere<Found>(subjects: readonly Subject[], exploration: Exploration<Found>): Trials {
  const plans = new Map<number, Promise<readonly Trial[] | string>>();

  function trialsOf(at: number): Promise<readonly Trial[] | string> {
    const trials = plans.get(at) ?? planOf(subjects[at] as Subject, exploration);
    plans.set(at, trials);
    return trials;
  }

  return {
    async plan(at) {
      const trials = await trialsOf(at);
      if (typeof trials === "string") return { refused: trials };
      return { trials: trials.map(({ conditions: _, smaller: __, ...text }) => text) };
    },
    async run(at, name) {
      const trials = await trialsOf(at);
      const trial = typeof trials === "string" ? undefined : trials.find((each) => each.name === name);
      if (!trial) throw new Error(`${subjects[at]?.name}: its baseline did not find ${name} again`);
      return narrowed(subjects[at] as Subject, trial);
    },
  };
}

/** The trials of a subject, or the reason why it has no trials. */
async function planOf<Found>(
  subject: Subject,
  { name, baseline, trialsOf }: Exploration<Found>,
): Promise<readonly Trial[] | string> {
  const { failure, found, problem } = await subject.play(baseline).catch(afterException);
  const why = problem ?? (failure && [failure.label, ...failure.differences.slice(0, 1)].join(": "));
  if (why !== undefined || found === undefined)
    return `it does not pass without ${name} (${why}); make it pass first`;
  return trialsOf(found);
}

/** Trials that are played at most to make a trial smaller. */
const MAX_SMALLER = 200;

/** The result of a trial, or of the smallest trial found that does not hold either. */
async function narrowed(subject: Subject, trial: Trial): Promise<TrialResult> {
  let smallest = await tried(subject, trial);
  let candidates = smallest.verdict === "differs" ? [...(trial.smaller?.() ?? [])] : [];
  const playedNames = new Set([trial.name]);
  for (let next = candidates.shift(); next && playedNames.size < MAX_SMALLER; next = candidates.shift()) {
    if (playedNames.has(next.name)) continue;
    playedNames.add(next.name);
    const result = await tried(subject, next);
    if (result.verdict !== "differs") continue;
    smallest = result;
    candidates = [...(next.smaller?.() ?? [])];
  }
  return smallest;
}

async function tried(subject: Subject, trial: Trial): Promise<TrialResult> {
  const begun = performance.now();
  const {
    failure: firstFailure,
    found = [],
    problem,
  } = await subject.play(trial.conditions).catch(afterException);
  const failure = trial.worldAlone ? undefined : firstFailure;
  const differences = problem === undefined ? [...(failure?.differences ?? []), ...found] : [problem];
  return {
    subject: subject.name,
    file: subject.file,
    trial: trial.name,
    section: trial.section,
    differs: trial.differs,
    means: trial.means,
    verdict:
      problem !== undefined
        ? "broken"
        : !failure && differences.length === 0
          ? "held"
          : isNotKept(trial, failure, found)
            ? "not kept"
            : "differs",
    failure: failure && { label: failure.label, place: failure.place },
    differences,
    durationMs: performance.now() - begun,
    again: subject.again(trial.name),
  };
}

/** An exception ends only its own trial. */
function afterException(error: Error): Played<never> {
  const [, place = ""] = error.stack?.split("\n    at ") ?? [];
  const problem = `the emulator threw an error: ${error.message}${place && ` (at ${place.split("\n")[0]})`}`;
  return { failure: undefined, found: undefined, problem };
}

/** Whether the only difference is that a step reads what is documented not to be kept. */
function isNotKept(
  { notKept }: Trial,
  failure: PlayedFailure | undefined,
  found: readonly string[],
): boolean {
  return found.length === 0 && notKept !== undefined && notKept.test(failure?.curl ?? "");
}
