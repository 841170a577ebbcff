import { CONTROL_PATH, createActor, curlLine } from "./actor.ts";
import { MAX_DIFFERENCES, MAX_PLAYED_STEPS } from "./bounds.ts";
import type { GivenStep } from "./definition.ts";
import type { Place, Scenario, Step } from "./document.ts";
import { differences } from "./matching.ts";
import { ABSENT, valueAt } from "./paths.ts";
import type { Stage, Stages } from "./stage.ts";
import { type Play, perform } from "./steps.ts";
import { filled, type Variables } from "./variables.ts";

/** Where and how a scenario went another way than it says. */
export interface Failure {
  readonly label: string;
  readonly place: Place;
  readonly note: string | undefined;
  readonly differences: readonly string[];
  /** The last request before it, for a shell. */
  readonly curl: string | undefined;
}

/** How a scenario went on its stage. */
export interface Played {
  readonly seed: number;
  readonly steps: number;
  readonly failure: Failure | undefined;
  /** The journal at its end, as the emulator writes it: one JSON object a line. */
  readonly journal: string;
}

/**
 * Plays a scenario on a stage of its own, to its end or to the first step that fails. `isToStay` says whether
 * the stage is left as that step has left it, until all of them are closed.
 */
export async function play(
  scenario: Scenario,
  stages: Stages,
  isToStay: (played: Played) => boolean = () => false,
): Promise<Played> {
  const stage = await stages.open(scenario);
  let stays = false;
  try {
    const played = await playOn(stage, scenario);
    stays = isToStay(played);
    return played;
  } finally {
    if (!stays) await stage.close();
  }
}

async function playOn(stage: Stage, scenario: Scenario): Promise<Played> {
  const actor = createActor(stage);
  const variables: Variables = { ...standardVariables(stage), ...scenario.variables };
  const sight = {
    s3Url: stage.s3Url,
    variables,
    control: actor.control,
    api: async <T>(path: string) => (await actor.send(`GET ${path}`, {})).body as T,
  };
  const course: Course = { play: { actor, sight, variables }, stage, steps: 0 };
  const failure = await playSteps(course, scenario.steps);
  const journal = await stage.request({
    region: "us",
    method: "GET",
    path: `${CONTROL_PATH}/journal`,
    headers: {},
    body: undefined,
  });
  return { seed: stage.seed, steps: course.steps, failure, journal: journal.text };
}

function standardVariables({ url, euUrl, s3Url, seed }: Stage): Variables {
  return { url, eu_url: euUrl, s3_url: s3Url, seed };
}

/** A scenario as it goes. */
interface Course {
  readonly play: Play;
  readonly stage: Stage;
  steps: number;
}

async function playSteps(course: Course, steps: readonly Step[]): Promise<Failure | undefined> {
  for (const step of steps) {
    const failure = await playStep(course, step);
    if (failure) return failure;
  }
  return undefined;
}

async function playStep(course: Course, step: Step): Promise<Failure | undefined> {
  course.steps += 1;
  if (course.steps > MAX_PLAYED_STEPS)
    return failed(course, step, [`more than ${MAX_PLAYED_STEPS} steps were played; repeat less`]);
  try {
    if (step.verb === "repeat") return await playRounds(course, step);
    if (step.verb === "include") return await playPart(course, step);
    const found = await perform(course.play, step);
    return found.length === 0 ? undefined : failed(course, step, found);
  } catch (error) {
    return failed(course, step, [(error as Error).message]);
  }
}

async function playPart(course: Course, step: Step): Promise<Failure | undefined> {
  const { with: given = {} } = step.given as GivenStep<"include">;
  Object.assign(course.play.variables, filled(given, course.play.variables));
  return playSteps(course, step.steps);
}

/** Every round is the same list of steps; with `until` the rounds end early, or the step fails. */
async function playRounds(course: Course, step: Step): Promise<Failure | undefined> {
  const { repeat, until } = step.given as GivenStep<"repeat">;
  const { variables } = course.play;
  let left: readonly string[] = [];
  for (let round = 0; round < repeat; round += 1) {
    variables.round = round;
    const failure = await playSteps(course, step.steps);
    if (failure) return failure;
    if (until === undefined) continue;
    left = unmet(until, variables);
    if (left.length === 0) return undefined;
  }
  return until === undefined ? undefined : failed(course, step, [`not so after ${repeat} rounds`, ...left]);
}

function unmet(until: Readonly<Record<string, unknown>>, variables: Variables): readonly string[] {
  return Object.entries(until).flatMap(([name, expected]) => {
    const found = valueAt(variables, name);
    return differences(filled(expected, variables), found === ABSENT ? undefined : found, name);
  });
}

function failed({ play, stage }: Course, { label, place, given }: Step, found: readonly string[]): Failure {
  const { last } = play.actor;
  const rest = found.length - MAX_DIFFERENCES;
  return {
    label,
    place,
    note: given.note,
    differences: rest > 0 ? [...found.slice(0, MAX_DIFFERENCES), `and ${rest} more`] : found,
    curl: last && curlLine(stage, last),
  };
}
