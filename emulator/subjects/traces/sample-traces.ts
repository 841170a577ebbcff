import type { JsonObject } from "./json.ts";
import { createRandom, type Random } from "./random.ts";
import { contentsOf } from "./sample-contents.ts";
import { FAILURES, TAGS, TOPICS, type Topic } from "./sample-texts.ts";
import { type Branch, buildTree, type TreeShape } from "./sample-trees.ts";
import { millisOf, shiftTime, stampOf } from "./wire-time.ts";

/** The parameters of one sample trace. */
interface TraceOptions {
  readonly shape: TreeShape;
  /** The reference of each post to its project. */
  readonly project: JsonObject;
  /** The seed of all random choices for this trace. */
  readonly seed: string;
  /** The start of the trace and the bounds of its window. */
  readonly start: string;
  readonly from: string;
  readonly to: string;
  /** Maximum number of runs; a longer trace is truncated. */
  readonly maxRuns: number;
  /** The id of the nth run of the trace. */
  idOf(index: number): string;
}

/** Start and end of each run, in microseconds after the start of the trace. */
interface Timing {
  readonly start: number[];
  readonly end: number[];
}

/** A client's time format; times are truncated to its precision beforehand. */
interface TimeStyle {
  readonly isCoarse: boolean;
  write(time: string): string | number;
}

const TIME_STYLES: readonly [TimeStyle, ...TimeStyle[]] = [
  { isCoarse: false, write: (time) => time },
  { isCoarse: false, write: (time) => time.slice(0, -1) },
  { isCoarse: false, write: (time) => `${time.slice(0, -1)}+00:00` },
  { isCoarse: false, write: (time) => `${time.slice(0, -1)}789Z` },
  { isCoarse: true, write: millisOf },
];

/** From this time on, milliseconds since 1970 have twelve digits and are not read as seconds. */
const FIRST_CLEAR_MILLIS = "1973-03-03T09:46:40.000000Z";

const MAX_LATE_MICROS = 30 * 60 * 1_000_000;

/** A generated trace without the contents of its runs. */
interface Draft {
  readonly options: TraceOptions;
  readonly tree: readonly Branch[];
  readonly timing: Timing;
  readonly errors: readonly (string | null)[];
  /** The runs that have not ended. */
  readonly open: ReadonlySet<number>;
  readonly begin: string;
  readonly style: TimeStyle;
  readonly topic: Topic;
  readonly metadata: JsonObject;
}

/** The posts of one trace, parents before children. */
export function tracePosts(options: TraceOptions): readonly JsonObject[] {
  const random = createRandom(options.seed);
  const draft = generateTrace(options, random);
  const dottedOrders: string[] = [];
  return draft.tree.map((branch, index) => {
    const start = timeIn(draft, draft.timing.start[index] ?? 0);
    const above = dottedOrders[branch.parent];
    const segment = `${stampOf(start)}${options.idOf(index)}`;
    const dottedOrder = above === undefined ? segment : `${above}.${segment}`;
    dottedOrders.push(dottedOrder);
    return {
      id: options.idOf(index),
      trace_id: options.idOf(0),
      dotted_order: dottedOrder,
      name: branch.name,
      run_type: branch.type,
      ...(branch.parent >= 0 ? { parent_run_id: options.idOf(branch.parent) } : {}),
      ...options.project,
      ...runBodyOf(draft, index, start, random),
      ...annotationsOf(branch, random),
    };
  });
}

function generateTrace(options: TraceOptions, random: Random): Draft {
  const tree = buildTree(options.shape, random).slice(0, options.maxRuns);
  const timing = timingOf(tree, random);
  const errors = errorsOf(tree, random, options.shape === "errors" ? 0.5 : 0.04);
  const open = openRunsOf(tree, random.chance(0.03));
  const lateMicros = random.chance(0.02) ? random.below(MAX_LATE_MICROS) : 0;
  const begin = atLeast(options.from, shiftTime(options.start, -lateMicros));
  const style = styleFor(begin, options.from, random);
  const topic = random.pick(TOPICS);
  const metadata = { thread_id: options.idOf(0), user_id: `user-${random.below(500)}`, revision_id: null };
  return { options, tree, timing, errors, open, begin, style, topic, metadata };
}

/** The times, error, inputs and outputs of a run. */
function runBodyOf(draft: Draft, index: number, start: string, random: Random): JsonObject {
  const { errors, metadata, open, style, timing, topic, tree } = draft;
  const duration = (timing.end[index] ?? 0) - (timing.start[index] ?? 0);
  const after = (share: number): string =>
    cut(shiftTime(start, Math.floor(duration * share)) ?? start, style);
  const error = errors[index] ?? null;
  const isEnded = !open.has(index);
  // Clients write times inside events without a time zone, whatever the format of the run's own times.
  const timeAt = (share: number): string => after(share).slice(0, -1);
  const type = tree[index]?.type ?? "chain";
  return {
    start_time: style.write(start),
    ...(isEnded ? { end_time: style.write(after(1)) } : {}),
    ...(error === null ? {} : { error }),
    ...contentsOf({ type, topic, isEnded, error, metadata, timeAt }, random),
  };
}

function timeIn({ begin, options, style }: Draft, micros: number): string {
  const time = shiftTime(begin, micros);
  const isInside = time !== undefined && time < options.to;
  return cut(isInside ? time : (shiftTime(options.to, -1) ?? options.to), style);
}

/** Leaf runs are sequential; a parent ends shortly after its last child. */
function timingOf(tree: readonly Branch[], random: Random): Timing {
  const timing: Timing = { start: [], end: [] };
  let cursor = 0;
  for (const [index, branch] of tree.entries()) {
    cursor += index === 0 ? 0 : 200 + random.below(3_000);
    timing.start.push(cursor);
    if (tree[index + 1]?.parent !== index)
      cursor += 500 + random.below(branch.type === "llm" ? 4_000_000 : 300_000);
    timing.end.push(cursor);
  }
  for (let index = tree.length - 1; index > 0; index--) {
    const parent = tree[index]?.parent ?? 0;
    timing.end[parent] = Math.max(timing.end[parent] ?? 0, (timing.end[index] ?? 0) + 150);
  }
  return timing;
}

/** Draws failures; a parent fails with its child unless it handles the error. */
function errorsOf(tree: readonly Branch[], random: Random, share: number): readonly (string | null)[] {
  const errors: (string | null)[] = tree.map(({ type }) =>
    type !== "prompt" && type !== "parser" && random.chance(share) ? random.pick(FAILURES) : null,
  );
  for (let index = tree.length - 1; index > 0; index--) {
    const error = errors[index] ?? null;
    if (error !== null && random.chance(0.6)) errors[tree[index]?.parent ?? 0] = error;
  }
  return errors;
}

/** The indexes of unfinished runs in an unfinished trace: its last run and that run's ancestors. */
function openRunsOf(tree: readonly Branch[], isOpen: boolean): ReadonlySet<number> {
  const open = new Set<number>();
  for (let index = isOpen ? tree.length - 1 : -1; index >= 0; index = tree[index]?.parent ?? -1)
    open.add(index);
  return open;
}

function annotationsOf(branch: Branch, random: Random): JsonObject {
  const isRoot = branch.parent < 0;
  const tags = random.chance(0.5) ? [random.pick(TAGS)] : [];
  if (isRoot && random.chance(0.5)) tags.push(random.pick(TAGS));
  const score = random.below(101) / 100;
  const feedback = {
    user_score: { n: 1, avg: score, values: {} },
    tone: { n: 2, values: { warm: 1, läuft: 1 } },
  };
  return {
    tags,
    ...(isRoot && random.chance(0.2) ? { feedback_stats: feedback } : {}),
    ...(isRoot ? { trace_tier: random.chance(0.8) ? "shortlived" : "longlived" } : {}),
  };
}

/** Uses the exact format if truncation would leave the window or milliseconds would be read as seconds. */
function styleFor(begin: string, from: string, random: Random): TimeStyle {
  const style = random.pick(TIME_STYLES);
  const isFit = cut(begin, style) >= from && begin >= FIRST_CLEAR_MILLIS;
  return style.isCoarse && !isFit ? TIME_STYLES[0] : style;
}

function cut(time: string, style: TimeStyle): string {
  return style.isCoarse ? `${time.slice(0, 23)}000Z` : time;
}

function atLeast(bound: string, time: string | undefined): string {
  return time === undefined || time < bound ? bound : time;
}
