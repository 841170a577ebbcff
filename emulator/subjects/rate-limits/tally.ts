import type { Instant } from "../../kernel/instant.ts";

/** The counts of one row in one region: plain data, so that a fork can copy it. */
export interface Tally {
  count: number;
  windowMs: number;
  /** Usage assumed for every identity from an instant on; null unless the row was tripped. */
  trip: Readonly<Mark> | null;
  /** `young`: identities seen since the last rotation; `old`: those seen only before it. */
  young: Generation;
  old: Generation;
  turnedAt: Instant;
}

interface Generation {
  readonly windows: Map<string, Window>;
  /** Total number of marks of its windows. */
  marks: number;
}

/** The unexpired requests of one identity. */
export interface Window {
  used: number;
  readonly marks: Mark[];
}

/** Requests made at one instant; they expire after the length of a window. */
interface Mark {
  readonly at: Instant;
  used: number;
}

/** A fixed window starts with a request and expires as a whole; in a sliding one each request expires alone. */
export type WindowKind = "fixed" | "sliding";

/** The result of counting a request; rejected requests do not count. */
export interface CountResult {
  readonly admitted: boolean;
  readonly remaining: number;
  /** For a rejected request when the next one passes, else when the earliest one expires. */
  readonly resetsAt: Instant;
}

/** An empty tally that admits `count` requests per identity and window. */
export function emptyTally(count: number, windowMs: number): Tally {
  return { count, windowMs, trip: null, young: generation(), old: generation(), turnedAt: 0 };
}

/** Counts a request, or rejects it when the window is full. */
export function countRequest(tally: Tally, identity: string, now: Instant, kind: WindowKind): CountResult {
  // Identities unseen for a whole window have expired; rotation drops them without a scan.
  if (now - tally.turnedAt >= tally.windowMs) rotateGenerations(tally, now);
  const window = youngWindow(tally, identity);
  expire(tally, window, now);
  const remaining = tally.count - window.used;
  if (remaining <= 0) return { admitted: false, remaining: 0, resetsAt: passesAt(tally, window, now) };
  const last = window.marks.at(-1);
  if (last === undefined || (kind === "sliding" && last.at !== now)) {
    window.marks.push({ at: now, used: 1 });
    tally.young.marks += 1;
  } else last.used += 1;
  window.used += 1;
  const [first] = window.marks;
  return { admitted: true, remaining: remaining - 1, resetsAt: (first?.at ?? now) + tally.windowMs };
}

/** The current window of an identity, without changing the tally. */
export function peekWindow(tally: Tally, identity: string, now: Instant): Window {
  const window = tally.young.windows.get(identity) ?? tally.old.windows.get(identity) ?? freshWindow(tally);
  return live(window, tally, now);
}

/** All windows with unexpired requests. */
export function* liveWindows(tally: Tally, now: Instant): Iterable<readonly [string, Window]> {
  for (const { windows } of [tally.young, tally.old])
    for (const [identity, storedWindow] of windows) {
      const window = live(storedWindow, tally, now);
      if (window.used > 0) yield [identity, window];
    }
}

/** The first instant at which the window admits a request, if none is made before. */
export function passesAt({ count, windowMs }: Tally, { used, marks }: Window, now: Instant): Instant {
  let excess = used - count + 1;
  if (excess <= 0) return now;
  for (const mark of marks) {
    excess -= mark.used;
    if (excess <= 0) return mark.at + windowMs;
  }
  return now;
}

/** Leaves every identity `remaining` requests for one window from now. */
export function tripTally(tally: Tally, remaining: number, now: Instant): void {
  clearTally(tally);
  tally.trip = { at: now, used: Math.max(0, tally.count - remaining) };
}

/** Whether the row was tripped less than a window ago. */
export function isTripped({ trip, windowMs }: Tally, now: Instant): boolean {
  return trip !== null && now < trip.at + windowMs;
}

function clearTally(tally: Tally): void {
  tally.young = generation();
  tally.old = generation();
  tally.trip = null;
}

/** Drops the old generation; the young one becomes the old one. */
export function rotateGenerations(tally: Tally, now: Instant): void {
  tally.old = tally.young;
  tally.young = generation();
  tally.turnedAt = now;
}

/** The number of stored marks, a measure of memory use. */
export function markCount({ young, old }: Tally): number {
  return young.marks + old.marks;
}

function youngWindow(tally: Tally, identity: string): Window {
  const { young, old } = tally;
  const youngWindowOfIdentity = young.windows.get(identity);
  if (youngWindowOfIdentity) return youngWindowOfIdentity;
  const window = old.windows.get(identity) ?? freshWindow(tally);
  if (old.windows.delete(identity)) old.marks -= window.marks.length;
  young.windows.set(identity, window);
  young.marks += window.marks.length;
  return window;
}

function freshWindow({ trip }: Tally): Window {
  return trip ? { used: trip.used, marks: [{ ...trip }] } : { used: 0, marks: [] };
}

function expire(tally: Tally, window: Window, now: Instant): void {
  for (let first = window.marks[0]; first && first.at + tally.windowMs <= now; first = window.marks[0]) {
    window.used -= first.used;
    window.marks.shift();
    tally.young.marks -= 1;
  }
}

function live({ marks }: Window, { windowMs }: Tally, now: Instant): Window {
  const counting = marks.filter(({ at }) => at + windowMs > now);
  return { used: counting.reduce((sum, { used }) => sum + used, 0), marks: counting };
}

function generation(): Generation {
  return { windows: new Map(), marks: 0 };
}
