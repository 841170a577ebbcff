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
  /** Rows that it adds at most; default 1. */
  readonly extraRows?: number;
  /** ISO 8601 duration after which the exports have ended, if not an hour. */
  readonly settling?: string;
  /** Members of one scope exclude each other in a trial, such as two kills. */
  readonly scope?: string;
  /** The same disturbance with a simpler point or count, the simplest first. */
  readonly simpler?: () => readonly Disturbance[];
}

/** Earlier places in a list that are tried instead of this one: the first, one halfway, and the one before it. */
export function earlierThan(at: number): readonly number[] {
  return [...new Set([0, Math.floor(at / 2), at - 1])].filter((other) => other >= 0 && other < at);
}

/** A disturbance at each point; it gets simpler at an earlier one. */
export function atEach<T>(points: readonly T[], make: (point: T) => Disturbance): readonly Disturbance[] {
  const disturbanceAt = (at: number): Disturbance => ({
    ...make(points[at] as T),
    simpler: () => earlierThan(at).map(disturbanceAt),
  });
  return points.map((_, at) => disturbanceAt(at));
}

/** Separates the names of the disturbances of a trial. */
export const TOGETHER = " + ";

/**
 * A trial with these disturbances. If it fails, the trials without one of them are run to find the cause; with
 * `isShrinking`, also those in which one of them is simpler.
 */
export function trialOf(
  parts: readonly Disturbance[],
  exports: readonly ExportFacts[],
  isShrinking = false,
): Trial {
  const tolerance = TOLERANCES.findLast((each) => parts.some((part) => part.tolerance === each)) ?? "none";
  const settling = parts.find((part) => part.settling)?.settling;
  const notKept = parts.find((part) => part.notKept)?.notKept;
  const conditions = parts.map((part) => part.conditions);
  const extraRows = parts.reduce((most, { extraRows: own = 1 }) => Math.max(most, own), 1);
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
    smaller: () => smallerParts(parts, isShrinking).map((each) => trialOf(each, exports, isShrinking)),
    conditions: {
      settings: conditions.reduce((below, { settings = {} }) => overlaid(below, settings), {}),
      ...(killAfterTurn !== undefined && { killAfterTurn }),
      async begin(world) {
        for (const { begin } of conditions) await begin?.(world);
      },
      wrap: (environment) => conditions.reduce((inner, { wrap }) => wrap?.(inner) ?? inner, environment),
      end: async (world) =>
        exportDifferences(exports, await settledExports(world, settling), tolerance, extraRows),
    },
  };
}

/** First without one of them, then with a simpler one in its place. */
function smallerParts(parts: readonly Disturbance[], isShrinking: boolean): readonly Disturbance[][] {
  const fewer = parts.length > 1 ? parts.map((_, at) => parts.toSpliced(at, 1)) : [];
  if (!isShrinking) return fewer;
  const simpler = parts.flatMap((part, at) => (part.simpler?.() ?? []).map((each) => parts.with(at, each)));
  return [...fewer, ...simpler];
}
