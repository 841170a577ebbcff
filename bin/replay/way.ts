import type { Exploration } from "../../scenarios/exploration.ts";
import { READING_MODES, readingNamed } from "../../scenarios/readings/readings.ts";
import { readingTrials } from "../../scenarios/readings/vary.ts";
import { type Invocation, UsageError } from "../command.ts";

const EXAMPLE = '"agent.list_order=oldest first"';

/** In which way something is played again and again. */
export interface Way {
  // biome-ignore lint/suspicious/noExplicitAny: what a baseline finds is known to its exploration alone.
  readonly exploration: Exploration<any>;
  /** The flag that chooses it, as it is written again. */
  readonly flag: string;
}

/** The way that `--vary` asks for. Throws `UsageError`. */
export function wayOf({ flags }: Invocation): Way {
  const mode = READING_MODES.find((name) => name === flags.vary);
  if (mode === undefined)
    throw new UsageError(`--vary: "${String(flags.vary)}" is not valid; give ${READING_MODES.join(", ")}`);
  const only = flags.only === undefined ? undefined : String(flags.only);
  if (only !== undefined && only !== "profile=observed" && !readingNamed(only))
    throw new UsageError(`--only: "${only}" is no reading; give one as in the report, such as ${EXAMPLE}`);
  // A reading of a pair is repeated by its name alone.
  const flag = mode === "observed" ? "--vary observed" : "--vary";
  return { exploration: readingTrials(mode, only), flag };
}
