import { isMembers, type Members } from "../contracts/engine/json.ts";
import type { Scenario } from "./document.ts";
import { type Environment, EnvironmentError, type Environments } from "./environment.ts";
import { runScenario } from "./run-scenario.ts";
import { createRunner, type Runner } from "./runner.ts";
import type { FileLocation } from "./source.ts";

/** The world that something is played in. */
export type PlayedWorld = Pick<Runner, "control" | "send">;

/** Conditions in addition to those of the scenario or command itself. */
export interface Conditions<Found> {
  /** Laid over its own settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The process is killed after this turn; a command has none that could be killed. */
  readonly killAfterTurn?: number;
  /** Called with the fresh world, before the first request. */
  readonly begin?: (world: PlayedWorld) => Promise<void>;
  /** Changes how the requests of a scenario are sent and answered; a command sends its own. */
  readonly wrap?: (environment: Environment) => Environment;
  /** Looks at the world after the last request. */
  readonly end: (world: PlayedWorld) => Promise<Found>;
}

/** The result of one replay. */
export interface Played<Found> {
  readonly failure: PlayedFailure | undefined;
  /** The findings of `end`; undefined when it was not reached. */
  readonly found: Found | undefined;
  /** Why it cannot be played so. */
  readonly problem?: string;
}

/** Where something failed first; a command has no place. */
export interface PlayedFailure {
  readonly label: string;
  readonly place?: FileLocation | undefined;
  readonly differences: readonly string[];
  /** The last request before it, as a shell command. */
  readonly curl?: string | undefined;
}

/** Plays a scenario in a new world under conditions. */
export async function playUnder<Found>(
  scenario: Scenario,
  environments: Environments,
  { settings = {}, killAfterTurn, begin, wrap = (same) => same, end }: Conditions<Found>,
): Promise<Played<Found>> {
  let result: Found | undefined;
  async function open(environment: Environment): Promise<Environment> {
    const world = createRunner(environment);
    await begin?.(world);
    return {
      ...wrap(environment),
      async close() {
        try {
          result = await end(world);
        } finally {
          await environment.close();
        }
      },
    };
  }
  try {
    const run = await runScenario(
      { ...scenario, settings: overlaid(scenario.settings, settings) },
      {
        ...environments,
        async open(options) {
          const environment = await environments.open({ ...options, killAfterTurn });
          return open(environment).catch(async (error: unknown) => {
            await environment.close();
            throw error;
          });
        },
      },
    );
    return { failure: run.failure, found: result };
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    return { failure: undefined, found: undefined, problem: error.message };
  }
}

/** Merges objects member by member; everything else is replaced. */
export function overlaid(below: object, above: object): Members {
  const merged: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above))
    merged[name] = isMembers(value) && isMembers(merged[name]) ? overlaid(merged[name], value) : value;
  return merged;
}
