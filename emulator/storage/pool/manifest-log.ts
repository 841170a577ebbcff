import { randomBytes } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import { jsonOf } from "../../subjects/json-of.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { parseSummed, sealedLines, sealOf } from "../checksum.ts";
import { keyPath, lostKey } from "../secrets.ts";
import { damaged, readStored, StoreError, tooShort } from "../store-error.ts";
import type { SnapshotEntry, WorldEntry } from "./names.ts";
import { truncateTo, writeAll } from "./open-files.ts";

const FORMAT = 10;
const NAME = "worlds.ndjson";
/** The log is written twice, because no other file has its data. */
const COPY = "worlds.copy.ndjson";
/** Each of the two files may replace the other. The first line has the id of the folder. */
const SEAL = sealOf("", NAME);
const ID_BYTES = 16;
const LINE_FEED = 0x0a;
/** The log is rewritten when it exceeds three times its last rewritten size by this much. */
const SPARE_BYTES = 16 * 1024;
/** This text is encrypted in the first line, to check the key with. */
const KEY_CHECK = "trace-platform-emulator";

export type Kind = "world" | "snapshot";

interface LogHeader {
  readonly format: number;
  /** How often the log was rewritten. */
  readonly log: number;
  /** The random id of the data folder. */
  readonly folder: string;
  /** `KEY_CHECK`, encrypted with the key of the data folder. */
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

/** A change, or the last line of a process that removed all unused files. */
export type LogLine = ManifestLine | { readonly swept: true };

export interface ManifestTable {
  readonly world: Map<string, WorldEntry>;
  readonly snapshot: Map<string, SnapshotEntry>;
  next: number;
  /** How often the log was rewritten. */
  log: number;
  isSwept: boolean;
}

/** The parts of a pool that its log needs. */
interface LogFolder {
  readonly root: string;
  readonly id: string;
  owners(): readonly number[];
}

/** The path of the log of a data folder, or of its copy. */
export function logPath(root: string, isCopy = false): string {
  return join(root, isCopy ? COPY : NAME);
}

/** The id of a data folder, or a new one for a folder without a readable list of worlds. */
export function readFolderId(root: string): string {
  for (const isCopy of [false, true]) {
    const header = attemptHeader(logPath(root, isCopy));
    if (header) return header.folder;
  }
  return randomBytes(ID_BYTES).toString("hex");
}

/** The first line of a file; undefined when it cannot be read, which `readLog` reports. */
function attemptHeader(path: string): LogHeader | undefined {
  try {
    return headerOf(readFileSync(path));
  } catch {
    return undefined;
  }
}

/** The first line; undefined when it is damaged. */
function headerOf(content: Buffer): LogHeader | undefined {
  return parseSummed(content, SEAL, 0, Math.max(0, content.indexOf(LINE_FEED))) as LogHeader | undefined;
}

export function noWorlds(): ManifestTable {
  return { world: new Map(), snapshot: new Map(), next: 1, log: 0, isSwept: false };
}

/**
 * Reads the log of a data folder, or its copy, and checks the key if there is one. Throws a `StoreError` for a log that is damaged
 * or belongs to another key or version.
 */
export function readLog(
  { root, id, owners }: LogFolder,
  secrets: Secrets | undefined,
  isCopy = false,
): ManifestTable {
  const path = logPath(root, isCopy);
  const table = noWorlds();
  const content = existsSync(path) ? readLogFile(path, hintFor(root)) : Buffer.alloc(0);
  // Bytes after the last line feed were never acknowledged.
  const end = content.lastIndexOf(LINE_FEED) + 1;
  if (end === 0) {
    refuseOldLayout(root);
    if (existsSync(logPath(root, !isCopy)) || owners().length > 0) throw tooShort(path, 1, hintFor(root));
    return table;
  }
  for (let [start, number] = [0, 1]; start < end; number += 1) {
    const stop = content.indexOf(LINE_FEED, start);
    if (start === 0) refuseOtherFormat(content.toString("utf8", 0, stop), path);
    const line = parseSummed(content, SEAL, start, stop) as LogHeader | LogLine | undefined;
    if (!line) throw damaged(path, `line ${number}`, hintFor(root));
    applyLine(table, line);
    if ("key" in line) checkKey(line, secrets, path);
    start = stop + 1;
  }
  if (!isCopy) refuseOlder({ root, id }, table.log, end);
  return table;
}

function readLogFile(path: string, hint: string): Buffer {
  return readStored(path, () => readFileSync(path), hint);
}

/** Each line and each rewrite goes to the log before its copy, so a log that is older or shorter than its copy has lost lines. */
function refuseOlder({ root, id }: Omit<LogFolder, "owners">, log: number, end: number): void {
  const path = logPath(root, true);
  if (!existsSync(path)) return;
  const copy = readLogFile(path, "Remove it; the start writes it again.");
  const whole = copy.lastIndexOf(LINE_FEED) + 1;
  const header = headerOf(copy);
  if (header?.folder !== id) return;
  if (header.log > log || (header.log === log && whole > end))
    throw tooShort(logPath(root), whole, hintFor(root));
}

function checkKey({ key }: LogHeader, secrets: Secrets | undefined, path: string): void {
  try {
    if (!secrets || secrets.open(key) === KEY_CHECK) return;
  } catch {
    // Reported below.
  }
  throw lostKey(`${keyPath(dirname(path))} is not the key of ${path}.`);
}

function applyLine(table: ManifestTable, line: LogHeader | LogLine): void {
  table.isSwept = "swept" in line;
  if ("log" in line) table.log = line.log;
  if (!("kind" in line)) return;
  const { kind, name, next, entry } = line;
  table.next = Math.max(table.next, next);
  if (!entry) table[kind].delete(name);
  else if (kind === "world") table.world.set(name, entry as WorldEntry);
  else table.snapshot.set(name, entry as SnapshotEntry);
}

/** Each of the two files is enough to restore the other. */
function hintFor(root: string): string {
  return `If the other of the two is whole, copy it: \`cp ${logPath(root, true)} ${logPath(root)}\`. Otherwise restore the folder from a backup, or start with another --data folder.`;
}

/** The format is checked before the checksum, which other versions may write differently. */
function refuseOtherFormat(text: string, path: string): void {
  const header = jsonOf(text) as Partial<LogHeader> | null | undefined;
  if (header != null && header.format !== FORMAT) throw otherFormat(`${path} has format ${header.format}`);
}

/** Otherwise a folder of an earlier version would look empty. */
function refuseOldLayout(root: string): void {
  const old = [join(root, "worlds.json"), join(root, "worlds", "main", "world.json")].find(existsSync);
  if (old === undefined) return;
  throw otherFormat(`${old} was written by an earlier version`);
}

function otherFormat(problem: string): StoreError {
  const hint =
    "Use the emulator that wrote it, or another --data folder. " +
    "`emulator snapshot export` of that emulator writes a file for `emulator start --import`.";
  return new StoreError(`${problem}; this emulator reads format ${FORMAT}.`, hint, "other_format");
}

/** Rewrites the log with one line for each entry, and opens it for appending. */
export function openLog({ root, id }: Omit<LogFolder, "owners">, table: ManifestTable, secrets: Secrets) {
  const paths = [logPath(root), logPath(root, true)];
  let bytes = 0;
  let rewritten = 0;
  let files = rewrite();

  function rewrite(): readonly number[] {
    const { next } = table;
    table.log += 1;
    const header: LogHeader = { format: FORMAT, log: table.log, folder: id, key: secrets.seal(KEY_CHECK) };
    const lines = [
      header,
      ...[...table.world].map(([name, entry]): LogLine => ({ kind: "world", name, next, entry })),
      ...[...table.snapshot].map(([name, entry]): LogLine => ({ kind: "snapshot", name, next, entry })),
    ];
    const text = sealedLines(lines, SEAL, 0);
    for (const path of paths) {
      writeFileSync(`${path}.new`, text, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    }
    bytes = text.length;
    rewritten = bytes;
    return paths.map((path) => openSync(path, "a", 0o600));
  }

  const closeFiles = () => files.forEach((file) => void closeSync(file));

  function append(line: LogLine): void {
    const text = sealedLines([line], SEAL, bytes);
    try {
      for (const file of files) writeAll(file, text);
    } catch (error) {
      for (const file of files) truncateTo(file, bytes);
      throw notWritten(root, error as Error);
    }
    bytes += text.length;
  }

  return {
    append,
    shorten(): void {
      if (bytes <= SPARE_BYTES + 3 * rewritten) return;
      closeFiles();
      files = rewrite();
    },
    close(isSwept: boolean): void {
      try {
        if (isSwept) append({ swept: true });
      } finally {
        closeFiles();
      }
    },
  };
}

function notWritten(root: string, { message }: Error): Refusal {
  return new Refusal(
    413,
    "disk_full",
    `Nothing was changed, since the list of worlds cannot be written: ${message}.`,
    `Make room under ${root}, or make it writable, then send the request again.`,
  );
}
