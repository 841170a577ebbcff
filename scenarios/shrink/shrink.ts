import { dirname } from "node:path";
import { playUnder } from "../conditions.ts";
import { type Scenario, ScenarioProblem } from "../document.ts";
import { EnvironmentError, type Environments } from "../environment.ts";
import { smallerThan } from "./candidates.ts";
import { originOf, type PlainScenario, plainOf, scenarioFrom, stepCount, textOf } from "./plain.ts";

/** A scenario made small. */
export interface Shrunk {
  /** The text of the file. */
  readonly text: string;
  readonly stepsBefore: number;
  readonly steps: number;
  /** How often a scenario was played. */
  readonly runs: number;
  /** False when the bound of runs ended it: it may get smaller still. */
  readonly isSmallest: boolean;
  /** The first difference of the failure that was kept. */
  readonly difference: string;
}

/** Bounds of the work. */
export interface ShrinkOptions {
  readonly environments: Environments;
  readonly maxRuns: number;
  readonly onProgress?: (runs: number, steps: number) => void;
}

/** The step that failed and how: what has to stay the same. */
interface FailureKind {
  readonly origin: number;
  readonly difference: string;
}

/**
 * Makes a scenario that fails as small as it gets while it fails in the same way: at the same step, at the same path,
 * with the same difference. Throws `ScenarioProblem` when it does not fail.
 */
export async function shrink(
  scenario: Scenario,
  output: string,
  { environments, maxRuns, onProgress }: ShrinkOptions,
): Promise<Shrunk> {
  let best = plainOf(scenario, dirname(output));
  const kept = await failureOf(best, output, environments);
  if (kept === undefined)
    throw new ScenarioProblem(
      `${scenario.file}: it does not fail, or not at a step; nothing to make smaller`,
    );
  const stepsBefore = stepCount(best);
  let runs = 1;

  let from = 0;

  /** Takes a smaller one that fails in the same way, the next after the last that did; false when there is none. */
  async function takeSmaller(): Promise<boolean> {
    let at = -1;
    for (const candidate of smallerThan(best)) {
      at += 1;
      if (at < from) continue;
      if (runs >= maxRuns) return false;
      runs += 1;
      onProgress?.(runs, stepCount(best));
      const found = await failureOf(candidate, output, environments);
      if (found?.origin !== kept?.origin || found?.difference !== kept?.difference) continue;
      best = candidate;
      from = at;
      return true;
    }
    // A cut that was tried before the others may do after them.
    const isAgain = from > 0;
    from = 0;
    return isAgain;
  }

  while (await takeSmaller());
  const [text, steps, isSmallest] = [textOf(best), stepCount(best), runs < maxRuns];
  return { text, stepsBefore, steps, runs, isSmallest, difference: kept.difference };
}

/** How a scenario fails; undefined when it does not, or cannot be played. */
async function failureOf(
  plain: PlainScenario,
  file: string,
  environments: Environments,
): Promise<FailureKind | undefined> {
  try {
    const scenario = scenarioFrom(plain, file);
    const { failure } = await playUnder(scenario, environments, { end: async () => undefined });
    const origin = failure && originOf(plain, failure.label);
    if (failure === undefined || origin === undefined) return undefined;
    return { origin, difference: comparable(failure.differences[0] ?? "") };
  } catch (error) {
    if (error instanceof ScenarioProblem || error instanceof EnvironmentError) return undefined;
    throw error;
  }
}

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
/** A longer value shows data that the failure is not about. */
const MAX_CHARACTERS = 80;

/** A difference without the ids and times that every run of steps has of its own. */
function comparable(difference: string): string {
  const text = difference.replace(ID, "<id>").replace(TIME, "<time>");
  const at = text.indexOf(", found ");
  return at === -1 || text.length - at <= MAX_CHARACTERS ? text : `${text.slice(0, at)}, found …`;
}
