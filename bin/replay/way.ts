import { edgeSweep } from "../../scenarios/sweeps/edge-sweep.ts";
import { crashSweep, limitsSweep, storeSweep } from "../../scenarios/sweeps/fault-sweeps.ts";
import type { Exploration } from "../../scenarios/trials.ts";
import { VARIATION_MODES, variationByName } from "../../scenarios/variations/variations.ts";
import { variationTrials } from "../../scenarios/variations/vary.ts";
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
  const { vary, sweep, all } = flags;
  if (vary !== undefined && sweep !== undefined)
    throw new UsageError("--sweep: not with --vary; run one after the other");
  if (sweep !== undefined) return sweepOf(String(sweep), isCommand);
  if (all !== undefined) throw new UsageError("--all: give it with --sweep; --vary runs every variation");
  return variationsOf(flags);
}

/** Points of one scenario or command that a sweep tries without `--all`. */
const USUAL_POINTS = 24;

function sweepOf(name: string, isCommand: boolean): Way {
  const make = SWEEPS[name as keyof typeof SWEEPS];
  if (!Object.hasOwn(SWEEPS, name))
    throw new UsageError(`--sweep: "${name}" is not valid; give one of ${Object.keys(SWEEPS).join(", ")}`);
  const exploration = make(isCommand);
  if (exploration === undefined)
    throw new UsageError(`--sweep ${name}: it needs a scenario, whose clock it stops; give it to \`replay\``);
  return { exploration, flag: `--sweep ${name}`, perSubject: USUAL_POINTS };
}

const SWEEPS = {
  crash: crashSweep,
  edges: (isCommand: boolean) => (isCommand ? undefined : edgeSweep()),
  store: storeSweep,
  limits: limitsSweep,
} as const;

function variationsOf(flags: Invocation["flags"]): Way {
  const mode = VARIATION_MODES.find((name) => name === flags.vary);
  if (mode === undefined)
    throw new UsageError(
      `--vary: "${String(flags.vary)}" is not valid; give one of ${VARIATION_MODES.join(", ")}`,
    );
  const only = flags.only === undefined ? undefined : String(flags.only);
  if (only !== undefined && only !== "profile=observed" && !variationByName(only))
    throw new UsageError(
      `--only: "${only}" is not an assumption value. The report of --vary without --only lists them, for example ${EXAMPLE}.`,
    );
  // The name alone is enough to repeat a pair.
  const flag = mode === "observed" ? "--vary observed" : "--vary";
  return { exploration: variationTrials(mode, only), flag };
}
