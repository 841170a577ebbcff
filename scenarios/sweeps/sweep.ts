import type { Conditions, PlayedWorld } from "../conditions.ts";
import type { Exploration, Trial } from "../trials.ts";
import { stopping } from "./clock-stops.ts";
import { type Baseline, type Disturbance, trialOf } from "./disturbance.ts";
import { addRow, clockStops, windowTrials } from "./edge-sweep.ts";
import { CRASH_HOOKS, faultsOf, type Hook, LIMIT_HOOKS, STORE_HOOKS, sweepBaseline } from "./fault-sweeps.ts";
import { killAfter } from "./kills.ts";
import { edgesOf, iso } from "./times.ts";

const EXPORTS = "/api/v1/bulk-exports";

/** At each instant at which something was due, every export is cancelled after it. */
function cancellations({ due }: Baseline): readonly Disturbance[] {
  return due.map((instant) => ({
    name: `cancel at ${iso(instant)}`,
    section: "4.7",
    tolerance: "end",
    scope: "cancel",
    differs: `all exports are cancelled at ${iso(instant)}`,
    means: "a cancelled export is CANCELLED, and nothing continues (§3.1, §4.7)",
    conditions: { wrap: (environment) => stopping(environment, instant, cancelAll) },
  }));
}

async function cancelAll({ send }: PlayedWorld): Promise<void> {
  const exports = (await send(`GET ${EXPORTS}`, {})).body as readonly { readonly id: string }[];
  // An export that has ended refuses it.
  for (const { id } of exports) await send(`PATCH ${EXPORTS}/${id}`, { body: { status: "Cancelled" } });
}

/** At each instant at which something was due, a row arrives that starts at an edge of a window. */
function lateRows(baseline: Baseline): readonly Disturbance[] {
  // Only exports whose files are compared.
  const orders = baseline.exports.filter(({ problems }) => problems !== undefined).map(({ order }) => order);
  const points = baseline.due.flatMap((instant) =>
    orders.flatMap((order) => edgesOf(order).map((start) => ({ instant, order, start }))),
  );
  return points.map(({ instant, order, start }) => ({
    name: `row of ${iso(start)} at ${iso(instant)}`,
    section: "3.3",
    tolerance: "rows" as const,
    scope: "row",
    differs: `at ${iso(instant)} a row arrives that starts at ${iso(start)}`,
    means: "a run exports the rows that arrived before it started, and no later ones (§3.3)",
    conditions: {
      wrap: (environment) => stopping(environment, instant, (world) => addRow(world, order, start)),
    },
  }));
}

/** A family of disturbances; `isCommand`: a command is run, whose clock and process are its own. */
interface Family {
  readonly hooks?: readonly Hook[];
  disturbances(baseline: Baseline, isCommand: boolean): readonly Disturbance[];
  /** Trials that cannot be combined. */
  readonly alone?: (baseline: Baseline) => readonly Trial[];
  readonly needsScenario?: true;
}

const FAMILIES = {
  crash: {
    hooks: CRASH_HOOKS,
    disturbances: (baseline, isCommand) => [
      ...faultsOf(
        isCommand ? CRASH_HOOKS.filter(({ settling }) => settling === undefined) : CRASH_HOOKS,
        baseline,
      ),
      ...(isCommand ? [] : baseline.turns.map(killAfter)),
    ],
  },
  edges: { disturbances: clockStops, alone: windowTrials, needsScenario: true },
  store: {
    hooks: STORE_HOOKS,
    disturbances: (baseline, isCommand) => faultsOf(STORE_HOOKS, baseline, isCommand),
  },
  limits: { hooks: LIMIT_HOOKS, disturbances: (baseline) => faultsOf(LIMIT_HOOKS, baseline) },
  cancel: { disturbances: cancellations, needsScenario: true },
  "late-row": { disturbances: lateRows, needsScenario: true },
} as const satisfies Record<string, Family>;

export type SweepName = keyof typeof FAMILIES;

export const SWEEP_NAMES = Object.keys(FAMILIES) as readonly SweepName[];

/** Pairs of one sweep: more would only take time and memory. */
const MAX_PAIRS = 10_000;

/** Whether a sweep stops the clock of a scenario. */
export function needsScenario(name: SweepName): boolean {
  return (FAMILIES[name] as Family).needsScenario === true;
}

/** Each disturbance of a family, or each pair of the disturbances of two families. */
export function sweep(names: readonly SweepName[], isCommand = false): Exploration<Baseline> {
  const [first, second] = names.map((name): Family => FAMILIES[name]);
  return {
    name: `--sweep ${names.join(",")}`,
    baseline: baselineOf(names),
    trialsOf(baseline) {
      const one = first?.disturbances(baseline, isCommand) ?? [];
      if (second === undefined)
        return [...(first?.alone?.(baseline) ?? []), ...one.map((part) => trialOf([part], baseline.exports))];
      const other = second === first ? one : second.disturbances(baseline, isCommand);
      return pairsOf(one, other).map((parts) => trialOf(parts, baseline.exports));
    },
  };
}

function baselineOf(names: readonly SweepName[]): Conditions<Baseline> {
  return sweepBaseline([...new Set(names)].flatMap((name) => (FAMILIES[name] as Family).hooks ?? []));
}

/** Evenly chosen pairs, in the order of the first. */
function pairsOf(one: readonly Disturbance[], other: readonly Disturbance[]): readonly Disturbance[][] {
  const isSame = one === other;
  const count = one.length * other.length;
  const step = Math.max(1, count / MAX_PAIRS);
  const pairs: Disturbance[][] = [];
  for (let place = 0; place < count; place += step) {
    const [row, column] = [Math.floor(place / other.length), Math.floor(place) % other.length];
    const [left, right] = [one[row], other[column]];
    if (left && right && (!isSame || row < column) && canCombine(left, right)) pairs.push([left, right]);
  }
  return pairs;
}

function canCombine(left: Disturbance, right: Disturbance): boolean {
  return left.name !== right.name && (left.scope === undefined || left.scope !== right.scope);
}
