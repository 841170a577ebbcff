import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { parseSummed, withSum } from "../checksum.ts";
import { keyPath, lostKey } from "../secrets.ts";
import { damaged, StoreError, tooShort } from "../store-error.ts";
import type { SnapshotEntry, WorldEntry } from "./entries.ts";
import { truncateTo, writeAll } from "./open-files.ts";
import type { Pool } from "./pool.ts";

const FORMAT = 8;
const NAME = "worlds.ndjson";
/** Nothing says again what the log says: it is kept twice. */
const COPY = "worlds.copy.ndjson";
const LINE_FEED = 0x0a;
/** The log is written anew when it has so many bytes more than three times what it had when that was done last. */
const SPARE_BYTES = 16 * 1024;
/** Sealed in the first line, to know the key by. */
const KEY_CHECK = "trace-platform-emulator";

export type Kind = "world" | "snapshot";

/** The first line. */
interface LogHeader {
  readonly format: number;
  /** How often the log was written anew. */
  readonly log: number;
  /** A known text, sealed with the key of the data folder. */
  readonly key: string;
}

/** One change; the last one of a name counts. */
export interface ManifestLine {
  readonly kind: Kind;
  readonly name: string;
  readonly next: number;
  /** Null when it was removed. */
  readonly entry: WorldEntry | SnapshotEntry | null;
}

/** The last line of a process that has left nothing behind. */
interface SweptLine {
  readonly swept: true;
}

export type LogLine = ManifestLine | SweptLine;

/** What a log says. */
export interface ManifestTable {
  readonly world: Map<string, WorldEntry>;
  readonly snapshot: Map<string, SnapshotEntry>;
  next: number;
  /** How often the log was written anew. */
  log: number;
  isSwept: boolean;
}

/** Where the log of a data folder lies, and its copy. */
export function logPath(root: string, isCopy = false): string {
  return join(root, isCopy ? COPY : NAME);
}

export function noWorlds(): ManifestTable {
  return { world: new Map(), snapshot: new Map(), next: 1, log: 0, isSwept: false };
}

/**
 * Reads the log of a data folder, or its copy; the key is checked if it is known. Throws a `StoreError` for one that is damaged, of another key or of another version.
 */
export function readLog(
  { root, owners }: Omit<Pool, "files">,
  secrets: Secrets | undefined,
  isCopy = false,
): ManifestTable {
  const path = logPath(root, isCopy);
  const known = noWorlds();
  const all = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  // What follows the last line feed was never acknowledged.
  const end = all.lastIndexOf(LINE_FEED) + 1;
  if (end === 0) {
    refuseOldLayout(root);
    if (existsSync(logPath(root, !isCopy)) || owners().length > 0) throw tooShort(path, 1, hintFor(root));
    return known;
  }
  for (let [start, number] = [0, 1]; start < end; number += 1) {
    const stop = all.indexOf(LINE_FEED, start);
    const line = parseLine(all, start, stop, path, number);
    takeLine(known, line);
    if ("key" in line) checkKey(line, secrets, root);
    start = stop + 1;
  }
  if (!isCopy) refuseShorter(root, known.log, end);
  return known;
}

/** The log gets each line, and each new beginning, before its copy does: it is never behind that. */
function refuseShorter(root: string, log: number, end: number): void {
  const path = logPath(root, true);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= end) return;
  const all = readFileSync(path);
  const whole = all.lastIndexOf(LINE_FEED) + 1;
  const header = parseSummed(all, 0, all.indexOf(LINE_FEED)) as LogHeader | undefined;
  if (header && (header.log > log || (header.log === log && whole > end)))
    throw tooShort(logPath(root), whole, hintFor(root));
}

function checkKey({ key }: LogHeader, secrets: Secrets | undefined, root: string): void {
  try {
    if (!secrets || secrets.open(key) === KEY_CHECK) return;
  } catch {
    // Said below.
  }
  throw lostKey(`${keyPath(root)} is not the key of this data folder.`);
}

/** What is known after one more line. */
function takeLine(known: ManifestTable, line: LogHeader | LogLine): void {
  known.isSwept = "swept" in line;
  if ("log" in line) known.log = line.log;
  else if ("kind" in line) take(known, line);
}

function take(known: ManifestTable, { kind, name, next, entry }: ManifestLine): void {
  known.next = Math.max(known.next, next);
  if (!entry) known[kind].delete(name);
  else if (kind === "world") known.world.set(name, entry as WorldEntry);
  else known.snapshot.set(name, entry as SnapshotEntry);
}

function parseLine(all: Buffer, start: number, stop: number, path: string, number: number) {
  if (start === 0) refuseOtherFormat(all.toString("utf8", 0, stop), path);
  const line = parseSummed(all, start, stop);
  if (!line) throw damaged(path, `line ${number}`, hintFor(dirname(path)));
  return line as LogHeader | LogLine;
}

/** Each of the two files is enough to restore the other. */
function hintFor(root: string): string {
  return `If the other of the two is whole, copy it: \`cp ${logPath(root, true)} ${logPath(root)}\`. Otherwise restore the folder from a backup, or start with another --data folder.`;
}

/** Another version may write checksums in another way, or none. */
function refuseOtherFormat(text: string, path: string): void {
  let format: unknown;
  try {
    format = (JSON.parse(text) as Partial<LogHeader>).format;
  } catch {
    return;
  }
  if (format !== FORMAT) throw otherFormat(`${path} has format ${format}`);
}

/** A folder of an earlier version would look empty otherwise. */
function refuseOldLayout(root: string): void {
  const old = [join(root, "worlds.json"), join(root, "worlds", "main", "world.json")].find(existsSync);
  if (old === undefined) return;
  throw otherFormat(`${old} was written by an earlier version`);
}

function otherFormat(what: string): StoreError {
  const hint = "Use the emulator that wrote it, or another --data folder.";
  return new StoreError(`${what}; this emulator reads format ${FORMAT}.`, hint, "other_format");
}

/** Writes the log anew, with one line for each entry, and goes on appending to it. */
export function openLog({ root }: Omit<Pool, "files">, known: ManifestTable, secrets: Secrets) {
  const paths = [logPath(root), logPath(root, true)];
  let bytes = 0;
  let rewritten = 0;
  let files = rewrite();

  function rewrite(): readonly number[] {
    const { next } = known;
    known.log += 1;
    const header: LogHeader = { format: FORMAT, log: known.log, key: secrets.seal(KEY_CHECK) };
    const all = [
      header,
      ...[...known.world].map(([name, entry]): LogLine => ({ kind: "world", name, next, entry })),
      ...[...known.snapshot].map(([name, entry]): LogLine => ({ kind: "snapshot", name, next, entry })),
    ];
    const text = Buffer.from(all.map((line) => `${withSum(JSON.stringify(line))}\n`).join(""));
    for (const path of paths) {
      writeFileSync(`${path}.new`, text, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    }
    bytes = text.length;
    rewritten = bytes;
    return paths.map((path) => openSync(path, "a", 0o600));
  }

  const close = () => files.forEach((file) => void closeSync(file));

  return {
    append(line: LogLine): void {
      const text = Buffer.from(`${withSum(JSON.stringify(line))}\n`);
      try {
        for (const file of files) writeAll(file, text);
      } catch (error) {
        for (const file of files) truncateTo(file, bytes);
        throw notWritten(root, error as Error);
      }
      bytes += text.length;
    },
    shorten(): void {
      if (bytes <= SPARE_BYTES + 3 * rewritten) return;
      close();
      files = rewrite();
    },
    close,
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
