import { dirname } from "node:path";
import { playUnder } from "../conditions.ts";
import { type Scenario, ScenarioProblem } from "../document.ts";
import { EnvironmentError, type Environments } from "../environment.ts";
import {
  originOf,
  type PlainScenario,
  type PlainStep,
  plainOf,
  scenarioFrom,
  stepCount,
  textOf,
} from "./plain.ts";

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
  /** The first difference of the failure. */
  readonly difference: string;
}

/**
 * What a smaller scenario has to have in common with the failure: the failed step; also the path and the expected value,
 * where another number may be found; or the whole difference.
 */
export const SAMENESSES = ["step", "path", "difference"] as const;

export type Sameness = (typeof SAMENESSES)[number];

/** Bounds of the work. */
export interface ShrinkOptions {
  readonly environments: Environments;
  readonly maxRuns: number;
  readonly same: Sameness;
  readonly onProgress?: (runs: number, steps: number) => void;
}

/** The failed step and the part of its difference that must stay the same. */
interface FailureKind {
  readonly origin: number;
  readonly common: string;
  readonly difference: string;
}

/**
 * Makes a scenario that fails as small as it gets while it fails in the same way. Throws `ScenarioProblem` when it does
 * not fail.
 */
export async function shrink(
  scenario: Scenario,
  output: string,
  { environments, maxRuns, same, onProgress }: ShrinkOptions,
): Promise<Shrunk> {
  let best = plainOf(scenario, dirname(output));
  const failureIn = (plain: PlainScenario) => failureOf(plain, output, environments, same);
  let failure = await failureIn(best);
  if (failure === undefined)
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
      const candidateFailure = await failureIn(candidate);
      if (candidateFailure?.origin !== failure?.origin || candidateFailure?.common !== failure?.common)
        continue;
      best = candidate;
      failure = candidateFailure;
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
  return { text, stepsBefore, steps, runs, isSmallest, difference: failure.difference };
}

/** How a scenario fails; undefined when it does not, or cannot be played. */
async function failureOf(
  plain: PlainScenario,
  file: string,
  environments: Environments,
  same: Sameness,
): Promise<FailureKind | undefined> {
  try {
    const scenario = scenarioFrom(plain, file);
    const { failure } = await playUnder(scenario, environments, { end: async () => undefined });
    const origin = failure && originOf(plain, failure.label);
    if (failure === undefined || origin === undefined) return undefined;
    const [first = ""] = failure.differences;
    return { origin, common: commonPart(first, same), difference: comparable(first) };
  } catch (error) {
    if (error instanceof ScenarioProblem || error instanceof EnvironmentError) return undefined;
    throw error;
  }
}

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
/** A longer value shows data that the failure is not about. */
const MAX_CHARACTERS = 80;

/** The status of a reply names a kind of failure; other numbers are quantities. */
const STATUS = /^status: /;

function commonPart(difference: string, same: Sameness): string {
  if (same === "step") return "";
  const text = comparable(difference);
  if (same === "difference" || STATUS.test(text)) return text;
  return text.replace(/, found -?\d+(?:\.\d+)?$/, ", found a number");
}

/** A difference without the ids and times that differ in each run. */
function comparable(difference: string): string {
  const text = difference.replace(ID, "<id>").replace(TIME, "<time>");
  const at = text.indexOf(", found ");
  return at === -1 || text.length - at <= MAX_CHARACTERS ? text : `${text.slice(0, at)}, found …`;
}

/** Scenarios that are a little smaller, the largest cuts first: steps, then values, then the initial settings. */
function* smallerThan(plain: PlainScenario): Iterable<PlainScenario> {
  yield* withFewerSteps(plain);
  for (const [name, steps] of Object.entries(plain.sections))
    for (const smaller of withSmallerValues(steps))
      yield { ...plain, sections: { ...plain.sections, [name]: smaller } };
  const { scenario, ...rest } = plain.head;
  for (const smaller of smallerValues(rest))
    yield { ...plain, head: { scenario, ...(smaller as PlainScenario["head"]) } };
}

function* withFewerSteps(plain: PlainScenario): Iterable<PlainScenario> {
  for (const [name, steps] of Object.entries(plain.sections))
    for (const fewer of shorterLists(steps))
      yield { ...plain, sections: { ...plain.sections, [name]: fewer } };
  for (const [name, steps] of Object.entries(plain.sections))
    for (const [at, step] of steps.entries())
      for (const inside of shorterLists(step.steps))
        if (inside.length > 0)
          yield {
            ...plain,
            sections: { ...plain.sections, [name]: steps.with(at, { ...step, steps: inside }) },
          };
}

/** The list without a run of its members: half of it, a quarter, down to a single one. */
function* shorterLists<T>(list: readonly T[]): Iterable<readonly T[]> {
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < list.length; at += size) yield list.toSpliced(at, size);
}

function* withSmallerValues(steps: readonly PlainStep[]): Iterable<readonly PlainStep[]> {
  for (const [at, step] of steps.entries()) {
    for (const smallerStep of smallerValues(step.given))
      yield steps.with(at, { ...step, given: smallerStep as PlainStep["given"] });
    for (const inside of withSmallerValues(step.steps)) yield steps.with(at, { ...step, steps: inside });
  }
}

/** Values with one member less, a shorter list or a smaller number somewhere in them. */
function* smallerValues(value: unknown): Iterable<unknown> {
  if (Array.isArray(value)) yield* smallerLists(value);
  else if (typeof value === "object" && value !== null) yield* smallerObjects(value);
  else if (typeof value === "number" && Number.isInteger(value) && value > 1)
    yield* new Set([1, Math.ceil(value / 2), value - 1]);
}

function* smallerLists(list: readonly unknown[]): Iterable<unknown> {
  yield* shorterLists(list);
  for (const [at, item] of list.entries())
    for (const smaller of smallerValues(item)) yield list.with(at, smaller);
}

function* smallerObjects(value: object): Iterable<unknown> {
  const members = Object.entries(value);
  for (const [name] of members) yield Object.fromEntries(members.filter(([other]) => other !== name));
  for (const [name, member] of members)
    for (const smaller of smallerValues(member)) yield { ...value, [name]: smaller };
}
