import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import { StoreError } from "../store-error.ts";
import type { SnapshotEntry, WorldEntry } from "./entries.ts";
import { appendAll, sizeOf } from "./open-files.ts";

export const FORMAT = 2;
const NAME = "worlds.ndjson";
/** The log is written anew when it has so many lines more than four for each entry. */
const SPARE_LINES = 1000;

export type Kind = "world" | "snapshot";

/** One change; the last one of a name counts. */
export interface HeadsLine {
  readonly format: typeof FORMAT;
  readonly kind: Kind;
  readonly name: string;
  readonly next: number;
  /** Null when it was removed. */
  readonly entry: WorldEntry | SnapshotEntry | null;
}

/** The last line of a process that has left nothing behind. */
export const SWEPT = '{"swept":true}';

/** What a log says. */
export interface KnownHeads {
  readonly world: Map<string, WorldEntry>;
  readonly snapshot: Map<string, SnapshotEntry>;
  next: number;
  isSwept: boolean;
}

export function noWorlds(): KnownHeads {
  return { world: new Map(), snapshot: new Map(), next: 1, isSwept: false };
}

/** Reads the log of a data folder; throws a `StoreError` for one that is damaged or of another version. */
export function readLog(root: string): KnownHeads {
  const file = join(root, NAME);
  const known = noWorlds();
  if (!existsSync(file)) {
    refuseOldLayout(root);
    return known;
  }
  // What follows the last line feed was never acknowledged.
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  known.isSwept = lines.at(-1) === SWEPT;
  if (known.isSwept) lines.pop();
  for (const [at, text] of lines.entries()) take(known, parseLine(text, `${file}, line ${at + 1}`));
  return known;
}

function take(known: KnownHeads, { kind, name, next, entry }: HeadsLine): void {
  known.next = Math.max(known.next, next);
  if (!entry) known[kind].delete(name);
  else if (kind === "world") known.world.set(name, entry as WorldEntry);
  else known.snapshot.set(name, entry as SnapshotEntry);
}

function parseLine(text: string, place: string): HeadsLine {
  let line: HeadsLine;
  try {
    line = JSON.parse(text) as HeadsLine;
  } catch {
    throw new StoreError(`${place}, is damaged; restore the file or remove the data folder.`);
  }
  if (line.format === FORMAT) return line;
  throw new StoreError(
    `${place}, has format ${line.format}; this emulator reads format ${FORMAT}. Use the emulator that wrote it, or another --data folder.`,
  );
}

/** A folder of an earlier version would look empty otherwise. */
function refuseOldLayout(root: string): void {
  const old = [join(root, "worlds.json"), join(root, "worlds", "main", "world.json")].find(existsSync);
  if (old === undefined) return;
  throw new StoreError(
    `${old} was written by an earlier version; this emulator reads format ${FORMAT}. Use the emulator that wrote it, or another --data folder.`,
  );
}

/** Writes the log anew, with one line for each entry, and goes on appending to it. */
export function openLog(root: string, known: KnownHeads) {
  const path = join(root, NAME);
  let lines = 0;
  let file = rewrite();

  function rewrite(): number {
    const { next } = known;
    const all = [
      ...[...known.world].map(([name, entry]) => ({ format: FORMAT, kind: "world", name, next, entry })),
      ...[...known.snapshot].map(([name, entry]) => ({
        format: FORMAT,
        kind: "snapshot",
        name,
        next,
        entry,
      })),
    ];
    lines = all.length;
    if (all.length > 0 || existsSync(path)) {
      writeFileSync(`${path}.new`, all.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    }
    return openSync(path, "a", 0o600);
  }

  function shorten(): void {
    if (lines <= SPARE_LINES + 4 * (known.world.size + known.snapshot.size)) return;
    closeSync(file);
    file = rewrite();
  }

  function appendText(text: string): void {
    const size = sizeOf(file);
    try {
      appendAll(file, Buffer.from(`${text}\n`));
    } catch (error) {
      ftruncateSync(file, size);
      throw notWritten(root, error as Error);
    }
    lines += 1;
  }

  return {
    append: (line: HeadsLine) => appendText(JSON.stringify(line)),
    appendText,
    shorten,
    close: () => closeSync(file),
  };
}

function notWritten(root: string, { message }: Error): Refusal {
  return new Refusal(
    413,
    "disk_full",
    `Nothing was changed, since the list of worlds cannot be written: ${message}.`,
    `Make room under ${root}, or make it writable, then ask again.`,
  );
}
