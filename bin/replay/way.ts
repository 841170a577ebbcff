import { needsScenario, SWEEP_NAMES, sweep } from "../../scenarios/sweeps/sweep.ts";
import type { Exploration } from "../../scenarios/trials.ts";
import { VARIATION_MODES, variationByName, variationTrials } from "../../scenarios/variations/variations.ts";
import { type Invocation, UsageError } from "../command.ts";

const EXAMPLE = '"agent.list_order=oldest first"';

/** In which way something is played again and again. */
export interface Way {
  // biome-ignore lint/suspicious/noExplicitAny: what a baseline finds is known to its exploration alone.
  readonly exploration: Exploration<any>;
  /** The flag that chooses it, as it is written again. */
  readonly flag: string;
  /** Trials of one subject without `--all`. */
  readonly perSubject?: number;
}

/** The way that `--vary` or `--sweep` selects; `isCommand`: a command is run. Throws `UsageError`. */
export function wayOf({ flags }: Pick<Invocation, "flags">, isCommand: boolean): Way {
  if (flags.vary !== undefined && flags.sweep !== undefined)
    throw new UsageError("--sweep: it cannot be combined with --vary; run one after the other");
  if (flags.sweep !== undefined) return sweepOf(String(flags.sweep), isCommand);
  if (flags.all !== undefined)
    throw new UsageError(
      "--all: it is only valid with --sweep, because --vary has no points to choose from; remove it",
    );
  return variationsOf(flags);
}

/** Points of one scenario or command that a sweep tries without `--all`. */
const USUAL_POINTS = 24;

function sweepOf(value: string, isCommand: boolean): Way {
  const words = value.split(",");
  const names = words.flatMap((word) => SWEEP_NAMES.filter((name) => name === word));
  const validNames = SWEEP_NAMES.filter((name) => !isCommand || !needsScenario(name));
  if (names.length < words.length || names.length > 2)
    throw new UsageError(
      `--sweep: "${value}" is not valid; give one of ${validNames.join(", ")}, or two of them with a comma`,
    );
  if (isCommand && names.some(needsScenario))
    throw new UsageError(
      `--sweep ${value}: it is only valid for scenarios; use \`emulator replay <scenario> --sweep ${value}\``,
    );
  return { exploration: sweep(names, isCommand), flag: `--sweep ${value}`, perSubject: USUAL_POINTS };
}

function variationsOf(flags: Invocation["flags"]): Way {
  const mode = VARIATION_MODES.find((name) => name === flags.vary);
  if (mode === undefined)
    throw new UsageError(
      `--vary: "${String(flags.vary)}" is not valid; give one of these: ${VARIATION_MODES.join(", ")}`,
    );
  const only = flags.only === undefined ? undefined : String(flags.only);
  if (only !== undefined && only !== "profile=observed" && !variationByName(only))
    throw new UsageError(
      `--only: "${only}" is not a variation; give a name from the report of --vary without --only, such as ${EXAMPLE}`,
    );
  // The name alone is enough to repeat a pair.
  const flag = mode === "observed" ? "--vary observed" : "--vary";
  return { exploration: variationTrials(mode, only), flag };
}
