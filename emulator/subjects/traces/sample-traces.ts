import type { JsonObject } from "./json.ts";
import { createRandom, type Random } from "./random.ts";
import { contentsOf } from "./sample-contents.ts";
import { FAILURES, TAGS, TOPICS, type Topic } from "./sample-texts.ts";
import { type Branch, buildTree, type TreeShape } from "./sample-trees.ts";
import { millisOf, shiftTime, stampOf } from "./wire-time.ts";

/** What the runs of one sample trace are made of. */
interface TraceOptions {
  readonly shape: TreeShape;
  /** The seed of everything drawn for this trace. */
  readonly seed: string;
  /** Where in the window the trace begins, and the window's bounds. */
  readonly start: string;
  readonly from: string;
  readonly to: string;
  /** A longer trace is cut off after that many runs. */
  readonly runsMax: number;
  /** The id of the nth run of the trace. */
  idOf(index: number): string;
}

/** When the runs of a trace began and ended, in microseconds after its start. */
interface Timing {
  readonly start: number[];
  readonly end: number[];
}

/** The way one client writes times; what it cannot write is cut off the times beforehand. */
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

/** From here on a number of milliseconds has twelve digits. */
const FIRST_CLEAR_MILLIS = "1973-03-03T09:46:40.000000Z";

const LATE_MICROS_MAX = 30 * 60 * 1_000_000;

/** A trace that has been drawn, but for the contents of its runs. */
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

/** The posts of one trace, each parent before its children. */
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
      ...(branch.parent >= 0 ? { parent_run_id: options.idOf(branch.parent) } : {}),
      dotted_order: dottedOrder,
      name: branch.name,
      run_type: branch.type,
      ...runBodyOf(draft, index, start, random),
      ...annotationsOf(branch, random),
    };
  });
}

function generateTrace(options: TraceOptions, random: Random): Draft {
  const tree = buildTree(options.shape, random).slice(0, options.runsMax);
  const timing = timingOf(tree, random);
  const errors = errorsOf(tree, random, options.shape === "errors" ? 0.5 : 0.04);
  const open = openRunsOf(tree, random.chance(0.03));
  const lateMicros = random.chance(0.02) ? random.below(LATE_MICROS_MAX) : 0;
  const begin = atLeast(options.from, shiftTime(options.start, -lateMicros));
  const style = styleFor(begin, options.from, random);
  const topic = random.pick(TOPICS);
  const metadata = { thread_id: options.idOf(0), user_id: `user-${random.below(500)}`, revision_id: null };
  return { options, tree, timing, errors, open, begin, style, topic, metadata };
}

/** How a run went: its times, its error, what went in and what came out. */
function runBodyOf(draft: Draft, index: number, start: string, random: Random): JsonObject {
  const { errors, metadata, open, style, timing, topic, tree } = draft;
  const duration = (timing.end[index] ?? 0) - (timing.start[index] ?? 0);
  const after = (share: number): string =>
    cut(shiftTime(start, Math.floor(duration * share)) ?? start, style);
  const error = errors[index] ?? null;
  const isEnded = !open.has(index);
  // Clients write the times inside events without a zone, whatever they do with the run's own.
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
  const lastStart = shiftTime(options.to, -1) ?? options.to;
  return cut(atMost(lastStart, shiftTime(begin, micros)), style);
}

/** Leaves run one after the other; a run that has children ends shortly after the last of them. */
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

/** Some runs fail; the run above fails with them unless it knows how to go on. */
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

/** A trace that is still going on: its last run and everything above it have not ended. */
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

/** A time must stay in the window when it is cut, and early milliseconds would be read as seconds. */
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

function atMost(bound: string, time: string | undefined): string {
  return time === undefined || time > bound ? bound : time;
}
