import { formatInstant } from "../../kernel/instant.ts";

/** A range of virtual time (ms) drawn over a width (px). */
export interface Scale {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

export function xOf({ from, to, width }: Scale, at: number): number {
  return ((at - from) / (to - from)) * width;
}

export function instantAt({ from, to, width }: Scale, x: number): number {
  return Math.round(from + (x / width) * (to - from));
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
  365 * DAY,
]);
const PIXELS_PER_TICK = 110;

/** Ticks at round times, as many as have space for their texts. */
export function ticksOf(scale: Scale): readonly { readonly x: number; readonly text: string }[] {
  const minStep = ((scale.to - scale.from) * PIXELS_PER_TICK) / Math.max(1, scale.width);
  const step = STEPS.find((each) => each >= minStep) ?? 365 * DAY;
  const ticks = [];
  for (let at = Math.ceil(scale.from / step) * step; at <= scale.to; at += step)
    ticks.push({ x: xOf(scale, at), text: tickText(at, step) });
  return ticks;
}

function tickText(at: number, step: number): string {
  const text = formatInstant(at);
  if (step >= DAY || at % DAY === 0) return text.slice(0, 10);
  if (step >= MINUTE) return text.slice(11, 16);
  return step >= SECOND ? text.slice(11, 19) : text.slice(11, 23);
}
