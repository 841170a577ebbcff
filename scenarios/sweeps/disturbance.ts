import { type Conditions, overlaid } from "../conditions.ts";
import type { Trial } from "../trials.ts";
import {
  type ExportFacts,
  exportDifferences,
  settledExports,
  TOLERANCES,
  type Tolerance,
} from "./export-facts.ts";

/** Findings of the baseline of a sweep: its exports, and the points at which something can be disturbed. */
export interface Baseline {
  readonly exports: readonly ExportFacts[];
  /** How often each hook, by its name, could have triggered. */
  readonly occasions: ReadonlyMap<string, number>;
  /** Turns after which the process can be killed. */
  readonly turns: readonly number[];
  /** Instants at which something was due, in Unix milliseconds. */
  readonly due: readonly number[];
}

/** One thing that goes wrong at one point. Several of them make up a trial. */
export interface Disturbance extends Omit<Trial, "conditions" | "smaller" | "worldAlone"> {
  readonly conditions: Omit<Conditions<unknown>, "end">;
  readonly tolerance: Tolerance;
  /** ISO 8601 duration after which the exports have ended, if not an hour. */
  readonly settling?: string;
  /** Members of one scope exclude each other in a trial, such as two kills. */
  readonly scope?: string;
}

/** Separates the names of the disturbances of a trial. */
const TOGETHER = " + ";

/** A trial with these disturbances. If it fails, the trials without one of them are run to find the cause. */
export function trialOf(parts: readonly Disturbance[], exports: readonly ExportFacts[]): Trial {
  const tolerance = TOLERANCES.findLast((each) => parts.some((part) => part.tolerance === each)) ?? "none";
  const settling = parts.find((part) => part.settling)?.settling;
  const notKept = parts.find((part) => part.notKept)?.notKept;
  const conditions = parts.map((part) => part.conditions);
  const killAfterTurn = conditions.find((each) => each.killAfterTurn !== undefined)?.killAfterTurn;
  const text = (member: "differs" | "means" | "name", separator: string) =>
    [...new Set(parts.map((part) => part[member]))].join(separator);
  return {
    name: text("name", TOGETHER),
    section: parts[0]?.section ?? "7.3",
    differs: text("differs", "; "),
    means: text("means", "; "),
    rank: Math.max(...parts.map(({ rank = 0 }) => rank)),
    ...(notKept && { notKept }),
    ...(tolerance !== "none" && { worldAlone: true }),
    smaller: () => (parts.length > 1 ? parts.map((_, at) => trialOf(parts.toSpliced(at, 1), exports)) : []),
    conditions: {
      settings: conditions.reduce((below, { settings = {} }) => overlaid(below, settings), {}),
      ...(killAfterTurn !== undefined && { killAfterTurn }),
      async begin(world) {
        for (const { begin } of conditions) await begin?.(world);
      },
      wrap: (environment) => conditions.reduce((inner, { wrap }) => wrap?.(inner) ?? inner, environment),
      end: async (world) => exportDifferences(exports, await settledExports(world, settling), tolerance),
    },
  };
}
