import { formatInstant } from "../../kernel/instant.ts";

/** A range of virtual time (ms). */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A range drawn over a width (px), with idle time folded. */
export interface Scale extends Range {
  readonly width: number;
  readonly folds: readonly Fold[];
}

/** Idle time that is drawn as if it were shorter. */
export interface Fold extends Range {
  /** The length (ms) that it is drawn with. */
  readonly length: number;
}

const MIN_FOLD_MS = 5 * 60_000;
const MIN_BUSY_MS = 10_000;
const MAX_FOLDS = 8;
/** Idle time is folded if it would fill more than this part of the axis. */
const FOLDED_PART = 0.2;
const FOLD_PART = 0.05;

/** The longest idle times between busy ones (ranges or instants, in any order): those that would fill much of the axis. */
export function foldsOf(busyTimes: readonly Range[]): readonly Fold[] {
  const inOrder = [...busyTimes].sort((a, b) => a.from - b.from);
  const from = inOrder[0]?.from ?? 0;
  let end = from;
  const gaps = inOrder.flatMap((time) => {
    const gap = { from: end, to: time.from };
    end = Math.max(end, time.to);
    return gap.to - gap.from < MIN_FOLD_MS ? [] : [gap];
  });
  let busy = end - from;
  const folded: Range[] = [];
  for (const gap of gaps.sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, MAX_FOLDS)) {
    if (gap.to - gap.from < busy * FOLDED_PART) break;
    folded.push(gap);
    busy -= gap.to - gap.from;
  }
  const length = Math.max(busy, MIN_BUSY_MS) * FOLD_PART;
  return folded
    .sort((a, b) => a.from - b.from)
    .map(({ from, to }) => ({ from: from + length, to: to - length, length }));
}

/** The position (ms) of an instant on an axis with folds. */
export function positionOf(folds: readonly Fold[], at: number): number {
  let position = at;
  for (const { from, to, length } of folds) {
    if (at <= from) break;
    position -= (Math.min(at, to) - from) * (1 - length / (to - from));
  }
  return position;
}

/** The instant at a position: the inverse of `positionOf`. */
export function instantOf(folds: readonly Fold[], position: number): number {
  let at = position;
  for (const { from, to, length } of folds) {
    if (at <= from) break;
    const into = at - from;
    at = into <= length ? from + into * ((to - from) / length) : at + (to - from - length);
    if (into <= length) break;
  }
  return at;
}

export function xOf(scale: Scale, at: number): number {
  return xIn(scale)(at);
}

/** The position (px) of any instant: faster than `xOf` for many. */
export function xIn({ from, to, width, folds }: Scale): (at: number) => number {
  const begin = positionOf(folds, from);
  const pxPerMs = width / (positionOf(folds, to) - begin);
  return (at) => (positionOf(folds, at) - begin) * pxPerMs;
}

export function instantAt(scale: Scale, x: number): number {
  return Math.round(movedTo(scale, (begin, length) => begin + (x / scale.width) * length));
}

function movedTo({ from, to, folds }: Scale, move: (begin: number, length: number) => number): number {
  const begin = positionOf(folds, from);
  return instantOf(folds, move(begin, positionOf(folds, to) - begin));
}

const MIN_LENGTH_MS = 20;

/** The range with `factor` times its length, around the instant at `x`, within `bounds`. */
export function zoomed(scale: Scale, bounds: Range, x: number, factor: number): Range {
  const { folds, width } = scale;
  const [begin, end] = [positionOf(folds, scale.from), positionOf(folds, scale.to)];
  const most = positionOf(folds, bounds.to) - positionOf(folds, bounds.from);
  const length = Math.min(Math.max(MIN_LENGTH_MS, (end - begin) * factor), most);
  const centre = begin + (x / width) * (end - begin);
  return within(folds, bounds, centre - (x / width) * length, length);
}

/** The range moved by `dx` pixels, within `bounds`. */
export function panned(scale: Scale, bounds: Range, dx: number): Range {
  const [begin, end] = [positionOf(scale.folds, scale.from), positionOf(scale.folds, scale.to)];
  return within(scale.folds, bounds, begin - (dx / scale.width) * (end - begin), end - begin);
}

function within(folds: readonly Fold[], bounds: Range, begin: number, length: number): Range {
  const [least, most] = [positionOf(folds, bounds.from), positionOf(folds, bounds.to) - length];
  const from = Math.max(Math.min(begin, most), least);
  return { from: instantOf(folds, from), to: instantOf(folds, from + length) };
}

/** Blocks of a quarter of the visible length or more that cover the visible range: they change seldom. */
export function blocksAround(scale: Scale): Range {
  const [begin, end] = [positionOf(scale.folds, scale.from), positionOf(scale.folds, scale.to)];
  const block = 2 ** Math.ceil(Math.log2(end - begin)) / 4;
  const instant = (position: number) => Math.round(instantOf(scale.folds, position * block));
  return { from: instant(Math.floor(begin / block)), to: instant(Math.ceil(end / block)) };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [1, 10, 100, SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE].concat([
  HOUR,
  3 * HOUR,
  6 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
  90 * DAY,
  180 * DAY,
  365 * DAY,
]);
const PIXELS_PER_TICK = 110;
const MIN_TICK_PART = 0.8;

/** Ticks at round times, as many as have space for their texts. */
export function ticksOf(scale: Scale): readonly { readonly x: number; readonly text: string }[] {
  const { folds } = scale;
  const length = positionOf(folds, scale.to) - positionOf(folds, scale.from);
  const minStep = (length * PIXELS_PER_TICK) / Math.max(1, scale.width);
  const step = STEPS.find((each) => each >= minStep) ?? 365 * DAY;
  const ticks = [];
  let at = Math.ceil(scale.from / step) * step;
  let right = Number.NEGATIVE_INFINITY;
  while (at <= scale.to) {
    const fold = folds.find(({ from, to }) => from < at && at < to);
    const x = xOf(scale, at);
    // After a fold the first tick has the date too.
    const isFirst = right === Number.NEGATIVE_INFINITY;
    if (!fold && x >= right) {
      ticks.push({ x, text: tickText(at, step, isFirst) });
      right = x + PIXELS_PER_TICK * MIN_TICK_PART;
    }
    if (fold) right = Number.NEGATIVE_INFINITY;
    at = fold ? Math.max(at + step, Math.ceil(fold.to / step) * step) : at + step;
  }
  return ticks;
}

function tickText(at: number, step: number, isFirst: boolean): string {
  const text = formatInstant(at);
  if (isFirst && step < DAY) return text.slice(5, 16).replace("T", " ");
  if (step >= DAY || at % DAY === 0) return text.slice(0, 10);
  if (step >= MINUTE) return text.slice(11, 16);
  return step >= SECOND ? text.slice(11, 19) : text.slice(11, 23);
}
