import { idFor } from "../../kernel/ids.ts";
import type { JsonObject } from "./json.ts";
import type { Problems } from "./normalise.ts";
import { createBenchPosts } from "./sample-bench.ts";
import { torturePost } from "./sample-edge-cases.ts";
import { tracePosts } from "./sample-traces.ts";
import { microsBetween, parseTime, shiftTime } from "./wire-time.ts";

/**
 * - `mixed`: single calls, support agents, retrieval chains, teams of agents; some fail, are late or unfinished
 * - `flat`: one run each · `deep`: one chain of nested runs · `wide`: many children
 * - `errors`: every second run fails · `torture`: all edge cases, including one input of 1 MB
 * - `bench`: runs of about 2.7 KB, cheap to make
 */
export const SAMPLE_SHAPES = ["mixed", "flat", "deep", "wide", "errors", "torture", "bench"] as const;

/** Most runs that one sample may have. */
export const MAX_SAMPLE_COUNT = 1_000_000;

const MAX_WINDOW_DAYS = 36_600;
const MICROS_PER_DAY = 86_400_000_000;

/** Options of sample runs; the same options give the same runs. */
export interface SampleOptions {
  /** Exact number of runs; the last trace is truncated to fit. */
  readonly count: number;
  /** The window in which the runs begin; start inclusive, end exclusive. */
  readonly from: string;
  readonly to: string;
  /** Ids depend on the seed only: using a seed twice gives the same ids. */
  readonly seed: number;
  readonly shape?: string;
  /** Project named by every post; optional. */
  readonly sessionName?: string;
}

/** Sample runs as a client would post them, generated lazily one trace at a time. */
export function sampleTraces(options: SampleOptions): { readonly posts: Iterable<JsonObject> } | Problems {
  const from = parseTime(options.from);
  const to = parseTime(options.to);
  const shape = SAMPLE_SHAPES.find((shape) => shape === (options.shape ?? "mixed"));
  const problems = optionProblems(options, from, to);
  if (shape === undefined) problems.push(`shape: must be one of ${SAMPLE_SHAPES.join(", ")}`);
  if (shape === undefined || from === undefined || to === undefined || problems.length > 0)
    return { problems };
  const plan: Plan = { ...options, from, to, shape };
  return { posts: { [Symbol.iterator]: () => generatePosts(plan) } };
}

interface Plan extends SampleOptions {
  readonly shape: (typeof SAMPLE_SHAPES)[number];
}

function optionProblems(options: SampleOptions, from: string | undefined, to: string | undefined): string[] {
  const problems: string[] = [];
  if (!Number.isInteger(options.count) || options.count < 1 || options.count > MAX_SAMPLE_COUNT) {
    problems.push(`count: must be a whole number from 1 to ${MAX_SAMPLE_COUNT}`);
  }
  if (!Number.isSafeInteger(options.seed)) problems.push("seed: must be a whole number");
  if (from === undefined) problems.push("from: must be an ISO 8601 time");
  if (to === undefined) problems.push("to: must be an ISO 8601 time");
  if (from === undefined || to === undefined) return problems;
  if (from >= to) problems.push("to: must be later than from");
  else if (microsBetween(from, to) > MAX_WINDOW_DAYS * MICROS_PER_DAY) {
    problems.push(`to: must be at most ${MAX_WINDOW_DAYS} days later than from`);
  }
  return problems;
}

function* generatePosts(plan: Plan): Generator<JsonObject, void, undefined> {
  const span = microsBetween(plan.from, plan.to);
  const postsFrom = postsOf(plan);
  let ordinal = 0;
  while (ordinal < plan.count) {
    // Multiplying first could exceed the safe integers.
    const start = shiftTime(plan.from, Math.floor(span * (ordinal / plan.count))) ?? plan.from;
    const posts = postsFrom(ordinal, start);
    yield* posts;
    ordinal += posts.length;
  }
}

/** Returns the generator of one trace's posts; `ordinal` is the overall index of the trace's first run. */
function postsOf(plan: Plan): (ordinal: number, start: string) => readonly JsonObject[] {
  const { shape, from, to } = plan;
  // Part of the literal of each post: a copy of the post would take as long as making it.
  const project = plan.sessionName === undefined ? {} : { session_name: plan.sessionName };
  const idOf = (ordinal: number): string => idFor(plan.seed, "sample_run", ordinal);
  if (shape === "bench") {
    const benchPost = createBenchPosts(`${plan.seed}/bench`, project);
    return (ordinal, start) => [benchPost(ordinal, idOf(ordinal), start)];
  }
  if (shape === "torture")
    return (ordinal, start) => [{ ...project, ...torturePost(ordinal, idOf(ordinal), start) }];
  return (ordinal, start) => {
    const ids = new Map<number, string>();
    return tracePosts({
      shape,
      project,
      seed: `${plan.seed}/trace/${ordinal}`,
      start,
      from,
      to,
      maxRuns: plan.count - ordinal,
      idOf: (index) => ids.get(index) ?? remember(ids, index, idOf(ordinal + index)),
    });
  };
}

function remember(ids: Map<number, string>, index: number, id: string): string {
  ids.set(index, id);
  return id;
}
