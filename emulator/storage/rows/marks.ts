import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { TraceScope } from "../../subjects/traces/port.ts";
import { readExactly } from "./open-files.ts";
import { ADDED, isDay, isRegion, isUuid, scopeFolder } from "./paths.ts";
import { RECORD_BYTES, viewSidecar } from "./sidecar.ts";

/**
 * The next sequence number is written down when the store is closed, and the note is taken away before the
 * first write; a store that was not closed finds it again from the last record of every sidecar.
 */
const NOTE = "next-sequence";
/** The mark of the last fork: no number below it may be given again, whether or not its row was kept. */
const FORKED = "forked-at";
const MARK_DIGITS = String(Number.MAX_SAFE_INTEGER).length;
const INDEX = ".index";

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** What one folder has of a segment. */
export interface SegmentFiles {
  readonly sessionId: string;
  readonly day: string;
  /** Without the ending of either file. */
  readonly path: string;
  /** False when it goes on from what a farther layer has. */
  readonly isWhole: boolean;
}

/** What a tenant's folder has of segments, in order; what was made whole is no longer gone on from. */
export function segmentsIn(scopePath: string): SegmentFiles[] {
  return namesIn(scopePath)
    .filter(isUuid)
    .flatMap((sessionId) => {
      const names = new Set(namesIn(join(scopePath, sessionId)));
      return [...names].flatMap((name) => {
        if (!name.endsWith(INDEX)) return [];
        const stem = name.slice(0, -INDEX.length);
        const isWhole = !stem.endsWith(ADDED);
        const day = isWhole ? stem : stem.slice(0, -ADDED.length);
        if (!isDay(day) || (!isWhole && names.has(day + INDEX))) return [];
        return [{ sessionId, day, path: join(scopePath, sessionId, stem), isWhole }];
      });
    });
}

/** All tenants of all regions. */
export function scopesIn(folder: string): TraceScope[] {
  return namesIn(folder)
    .filter(isRegion)
    .flatMap((region) =>
      namesIn(join(folder, region))
        .filter(isUuid)
        .map((tenantId) => ({ region, tenantId })),
    );
}

function lastSequence(path: string): number {
  let records = Math.floor(statSync(path).size / RECORD_BYTES);
  const file = openSync(path, "r");
  try {
    let sequence = -1;
    const bytes = Buffer.allocUnsafe(RECORD_BYTES);
    // A number of 0 behind the first record is no record: a file system that crashed left zeros there.
    for (; records > 0 && sequence <= 0; records -= 1) {
      sequence = viewSidecar(readExactly(file, bytes, (records - 1) * RECORD_BYTES)).sequence(0);
    }
    return sequence;
  } finally {
    closeSync(file);
  }
}

function searchNext(folder: string): number {
  let last = -1;
  for (const scope of scopesIn(folder)) {
    for (const { path } of segmentsIn(scopeFolder(folder, scope))) {
      last = Math.max(last, lastSequence(path + INDEX));
    }
  }
  return last + 1;
}

/** 0 when nothing is noted. */
function readNumber(path: string): number {
  try {
    const noted = Number(readFileSync(path, "utf8"));
    return Number.isSafeInteger(noted) && noted > 0 ? noted : 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return 0;
  }
}

/** Where the numbers of a folder go on, and whether its last store was closed or has left something half done. */
export function readEnd(folder: string): { readonly next: number; readonly wasClosed: boolean } {
  const noted = readNumber(join(folder, NOTE));
  const next = noted || searchNext(folder);
  return { next: Math.max(next, readForked(folder)), wasClosed: noted === next };
}

/** The first sequence number that nothing has: as it was noted, or else found in the sidecars. */
export function readNext(folder: string): number {
  return readEnd(folder).next;
}

/** The mark below which a fork reads this folder; 0 when none ever did. */
export function readForked(folder: string): number {
  return readNumber(join(folder, FORKED));
}

/** In place and of one length: a file that is replaced or cut is written to the disk at once by some systems. */
export function noteForked(folder: string, mark: number): void {
  const file = openSync(join(folder, FORKED), constants.O_CREAT | constants.O_RDWR, 0o600);
  try {
    writeSync(file, String(mark).padStart(MARK_DIGITS, "0"), 0);
  } finally {
    closeSync(file);
  }
}

/** Noted when a store closes, so that the next one need not search for it. */
export function noteNext(folder: string, next: number): void {
  writeFileSync(join(folder, NOTE), String(next), { mode: 0o600 });
}

/** The note is wrong as soon as something is written. */
export function forgetNext(folder: string): void {
  rmSync(join(folder, NOTE), { force: true });
}

export function isEmptyOrMissing(folder: string): boolean {
  return namesIn(folder).length === 0;
}

/** Bytes of all files below a folder that count. */
export function bytesIn(folder: string): number {
  let bytes = 0;
  for (const scope of scopesIn(folder)) {
    for (const { path } of segmentsIn(scopeFolder(folder, scope))) {
      for (const ending of [".ndjson", INDEX]) {
        bytes += statSync(path + ending, { throwIfNoEntry: false })?.size ?? 0;
      }
    }
  }
  return bytes;
}
