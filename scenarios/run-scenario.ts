import { CONTROL_PATH } from "../emulator/client/control-client.ts";
import { ErrorReply } from "../emulator/client/send.ts";
import { MAX_DIFFERENCES, MAX_PLAYED_STEPS, MAX_WARNINGS } from "./bounds.ts";
import type { GivenStep } from "./definition.ts";
import type { Place, Scenario, Step } from "./document.ts";
import type { Environment, Environments } from "./environment.ts";
import { differences } from "./matching.ts";
import type { Observation } from "./observation.ts";
import { ABSENT, valueAt } from "./paths.ts";
import { createRunner, curlLine } from "./runner.ts";
import { shown } from "./source.ts";
import { performStep, type StepContext } from "./steps.ts";
import { filled, type Variables } from "./variables.ts";

/** The step at which a scenario failed, with its differences. */
export interface Failure {
  readonly label: string;
  readonly place: Place;
  readonly note: string | undefined;
  readonly differences: readonly string[];
  /** The last request before it, as a shell command. */
  readonly curl: string | undefined;
}

/** The result of a scenario in its environment. */
export interface ScenarioRun {
  readonly seed: number;
  readonly steps: number;
  readonly failure: Failure | undefined;
  /** Warnings of the emulator, once for each step. */
  readonly warnings: readonly string[];
  /** The journal at the end, as NDJSON. */
  readonly journal: string;
}

/**
 * Plays a scenario in its own environment, to its end or to the first failed step. `shouldKeepOpen`
 * decides whether the environment of a failed scenario stays open until all environments are closed.
 */
export async function runScenario(
  scenario: Scenario,
  environments: Environments,
  shouldKeepOpen: (result: ScenarioRun) => boolean = () => false,
): Promise<ScenarioRun> {
  const environment = await environments.open(scenario);
  let isKeptOpen = false;
  try {
    const result = await runIn(environment, scenario);
    isKeptOpen = shouldKeepOpen(result);
    return result;
  } finally {
    if (!isKeptOpen) await environment.close();
  }
}

async function runIn(environment: Environment, scenario: Scenario): Promise<ScenarioRun> {
  const runner = createRunner(environment);
  const variables: Variables = { ...standardVariables(environment), ...scenario.variables };
  const observation: Observation = {
    environment,
    variables,
    control: runner.control,
    api: async <T>(path: string) => (await runner.send(`GET ${path}`, {})).body as T,
  };
  const context: StepContext = { runner, observation, variables, armed: new Map() };
  const progress: Progress = { context, environment, steps: 0, warnings: new Set() };
  const failure = await runAll(progress, scenario.steps).finally(() => observation.objects?.close());
  const journal = await environment.request({
    region: "us",
    method: "GET",
    path: `${CONTROL_PATH}/journal`,
    headers: {},
    body: undefined,
  });
  const { steps, warnings } = progress;
  return { seed: environment.seed, steps, failure, warnings: [...warnings], journal: journal.text };
}

function standardVariables({ url, euUrl, s3Url, seed }: Environment): Variables {
  return { url, eu_url: euUrl, s3_url: s3Url, seed };
}

/** The progress of a scenario. */
interface Progress {
  readonly context: StepContext;
  readonly environment: Environment;
  steps: number;
  readonly warnings: Set<string>;
}

async function runAll(progress: Progress, steps: readonly Step[]): Promise<Failure | undefined> {
  const failure = await runSteps(progress, steps);
  if (failure === undefined) return withoutHits(progress, steps);
  return { ...failure, differences: [...failure.differences, ...(await notesOn(progress, failure))] };
}

/** A fault that was never triggered tests nothing: the scenario fails unless the fault is optional. */
async function withoutHits(progress: Progress, steps: readonly Step[]): Promise<Failure | undefined> {
  const { runner, armed } = progress.context;
  const faults = await runner.control.faults.list();
  const untriggered = faults.find(({ hits, optional }) => hits === 0 && optional !== true);
  const step = untriggered && (armed.get(untriggered.id) ?? steps.at(-1));
  if (!untriggered || !step) return undefined;
  const { preset, target, match, then } = untriggered;
  const faultText = JSON.stringify({ ...(preset === null ? { target, then } : { preset }), match });
  return failed(
    progress,
    step,
    [`the fault ${faultText} was never triggered; if that is intended, add \`optional: true\``],
    false,
  );
}

interface RateLimitSetting {
  readonly rateLimits: { readonly enabled: boolean };
}

/** Settings other than those of the command line that explain a failure. */
async function notesOn(
  { context }: Progress,
  { differences: differenceLines }: Failure,
): Promise<readonly string[]> {
  if (!differenceLines.some((difference) => /\b429\b/.test(difference))) return [];
  const { settings } = await context.runner.control.config<{ settings: RateLimitSetting }>();
  return settings.rateLimits.enabled
    ? []
    : ["rate limits are off in a replay; switch them on with `settings: { rate_limits: { enabled: true } }`"];
}

async function runSteps(progress: Progress, steps: readonly Step[]): Promise<Failure | undefined> {
  for (const step of steps) {
    const failure = await runStep(progress, step);
    if (failure) return failure;
  }
  return undefined;
}

async function runStep(progress: Progress, step: Step): Promise<Failure | undefined> {
  progress.steps += 1;
  const { runner } = progress.context;
  const before = runner.last;
  if (progress.steps > MAX_PLAYED_STEPS)
    return failed(progress, step, [`more than ${MAX_PLAYED_STEPS} steps were played; repeat less`], false);
  try {
    if (step.verb === "repeat") return await runRepeat(progress, step);
    if (step.verb === "include") return await runInclude(progress, step);
    const problems = await performStep(progress.context, step);
    noteWarnings(progress, step);
    return problems.length === 0 ? undefined : failed(progress, step, problems, runner.last !== before);
  } catch (error) {
    const reason = error instanceof ErrorReply ? error.description : (error as Error).message;
    return failed(progress, step, [reason], runner.last !== before);
  }
}

function noteWarnings({ context, warnings }: Progress, { label, place }: Step): void {
  for (const text of context.runner.takeWarnings())
    if (warnings.size < MAX_WARNINGS) warnings.add(`${shown(place.file)}:${place.line}: ${label}: ${text}`);
}

async function runInclude(progress: Progress, step: Step): Promise<Failure | undefined> {
  const { with: input = {} } = step.given as GivenStep<"include">;
  Object.assign(progress.context.variables, filled(input, progress.context.variables));
  return runSteps(progress, step.steps);
}

/** Repeats a list of steps; with `until` it stops once the condition holds and fails if it never does. */
async function runRepeat(progress: Progress, step: Step): Promise<Failure | undefined> {
  const { repeat, until } = step.given as GivenStep<"repeat">;
  const { variables } = progress.context;
  let unmetConditions: readonly string[] = [];
  for (let round = 0; round < repeat; round += 1) {
    variables.round = round;
    const failure = await runSteps(progress, step.steps);
    if (failure) return failure;
    if (until === undefined) continue;
    unmetConditions = unmet(until, variables);
    if (unmetConditions.length === 0) return undefined;
  }
  return until === undefined
    ? undefined
    : failed(progress, step, [`condition not met after ${repeat} rounds`, ...unmetConditions], false);
}

function unmet(until: Readonly<Record<string, unknown>>, variables: Variables): readonly string[] {
  return Object.entries(until).flatMap(([name, expected]) => {
    const variableValue = valueAt(variables, name);
    return differences(
      filled(expected, variables),
      variableValue === ABSENT ? undefined : variableValue,
      name,
    );
  });
}

function failed(
  { context: play, environment }: Progress,
  step: Step,
  problems: readonly string[],
  hasAsked: boolean,
): Failure {
  // A step without a request has no exchange to print.
  const last = hasAsked ? play.runner.last : undefined;
  const rest = problems.length - MAX_DIFFERENCES;
  return {
    label: step.label,
    place: step.place,
    note: step.given.note,
    differences: rest > 0 ? [...problems.slice(0, MAX_DIFFERENCES), `and ${rest} more`] : problems,
    curl: last && curlLine(environment, last),
  };
}
