import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { HeldPatch } from "../../subjects/traces/port.ts";
import { copyBeginnings } from "./copy.ts";
import { appendAll, readExactly } from "./open-files.ts";

/** A tenant already has as many patches without a row as are kept. */
export class HeldPatchesFull extends Error {
  readonly code = "held_patches_full";
  constructor(patchesMax: number) {
    super(
      `this workspace already holds patches for rows that were never posted up to the bound ` +
        `(${patchesMax} patches, ${BYTES_MAX} bytes); no more are kept until rows arrive`,
    );
    this.name = "HeldPatchesFull";
  }
}

type Patch = HeldPatch["patch"];

/** The patches of a tenant whose rows have not been posted yet: in a file, with their places in memory. */
export interface HeldPatches {
  /** All of them, or none. */
  hold(patches: readonly HeldPatch[]): void;
  held(id: string): readonly Patch[];
  drop(id: string): void;
}

interface LineSpan {
  readonly offset: number;
  readonly length: number;
}

/** Changed by appending or by being replaced, never otherwise. */
const NAME = "pending.ndjson";
const LINE_FEED = 0x0a;
const BYTES_MAX = 256 * 1024 * 1024;
const GARBAGE_BYTES_MAX = 64 * 1024 * 1024;

/** Where the held patches of a tenant are. */
export function heldPatchesFile(scopePath: string): string {
  return join(scopePath, NAME);
}

function* linesOf(bytes: Buffer): Generator<LineSpan> {
  for (let offset = 0; ; ) {
    const end = bytes.indexOf(LINE_FEED, offset);
    if (end < 0) return; // What follows the last line feed is a torn line.
    yield { offset, length: end + 1 - offset };
    offset = end + 1;
  }
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return Buffer.alloc(0);
  }
}

function addTo(spans: Map<string, LineSpan[]>, id: string, span: LineSpan): void {
  const known = spans.get(id);
  if (known === undefined) spans.set(id, [span]);
  else known.push(span);
}

/** Rewrites the file with the wanted lines only, and says where they now are. */
function compact(path: string, wanted: (id: string) => boolean): Map<string, LineSpan[]> {
  const bytes = readIfThere(path);
  const spans = new Map<string, LineSpan[]>();
  const kept: Buffer[] = [];
  let size = 0;
  for (const { offset, length } of linesOf(bytes)) {
    const line = bytes.subarray(offset, offset + length);
    const { id } = JSON.parse(line.toString("utf8")) as { id: string };
    if (!wanted(id)) continue;
    addTo(spans, id, { offset: size, length });
    kept.push(line);
    size += length;
  }
  if (size === bytes.length) return spans;
  if (size === 0) {
    rmSync(path);
    return spans;
  }
  writeFileSync(`${path}.new`, Buffer.concat(kept), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return spans;
}

// The file is opened for each use, so that many workspaces do not keep many files open.
function using<T>(path: string, use: (file: number) => T): T {
  const file = openSync(path, "a+", 0o600);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Lets a fork begin with the held patches of a tenant: one file under two names, which neither side changes.
 * Who wants to change it makes itself a copy first. Answers false when there are none.
 */
export function shareHeldPatches(scopePath: string, forkScopePath: string): boolean {
  const [from, to] = [heldPatchesFile(scopePath), heldPatchesFile(forkScopePath)];
  if (!existsSync(from)) return false;
  mkdirSync(forkScopePath, { recursive: true, mode: 0o700 });
  try {
    linkSync(from, to);
  } catch {
    // Some file systems give a file one name only.
    copyBeginnings([{ from, size: statSync(from).size }], to);
  }
  return true;
}

/** Gives a file that has other names (of forks, or of what was forked) a content of its own. */
function makeOwnCopy(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && found.nlink > 1) copyBeginnings([{ from: path, size: found.size }], path);
}

/** Opens the held patches of a tenant; those whose row has been written (`isWritten`) are forgotten. */
export function openHeldPatches(
  scopePath: string,
  patchesMax: number,
  isWritten: (id: string) => boolean,
): HeldPatches {
  const path = heldPatchesFile(scopePath);
  let spans = compact(path, (id) => !isWritten(id));
  const waiting = [...spans.values()].flat();
  let count = waiting.length;
  let wantedSize = waiting.reduce((sum, span) => sum + span.length, 0);
  let size = wantedSize;

  /** A row that comes ends the waiting of its patches, so without this the file would only grow. */
  function tidy(): void {
    if (count === 0) {
      rmSync(path, { force: true });
      size = 0;
    } else if (size - wantedSize > GARBAGE_BYTES_MAX && size > 2 * wantedSize) {
      const before = spans;
      spans = compact(path, (id) => before.has(id));
      size = wantedSize;
    }
  }

  return {
    hold(patches) {
      const lines = patches.map(({ id, patch }) => Buffer.from(`${JSON.stringify({ id, patch })}\n`, "utf8"));
      const bytes = lines.reduce((sum, line) => sum + line.length, 0);
      if (count + lines.length > patchesMax || wantedSize + bytes > BYTES_MAX)
        throw new HeldPatchesFull(patchesMax);
      mkdirSync(scopePath, { recursive: true, mode: 0o700 });
      makeOwnCopy(path);
      using(path, (file) => appendAll(file, Buffer.concat(lines)));
      patches.forEach(({ id }, at) => {
        const length = lines[at]?.length ?? 0;
        addTo(spans, id, { offset: size, length });
        size += length;
      });
      wantedSize += bytes;
      count += lines.length;
    },
    held(id) {
      const found = spans.get(id);
      if (found === undefined) return [];
      return using(path, (file) =>
        found.map(({ offset, length }) => {
          const line = readExactly(file, Buffer.allocUnsafe(length), offset);
          return (JSON.parse(line.toString("utf8")) as { patch: Patch }).patch;
        }),
      );
    },
    drop(id) {
      const found = spans.get(id);
      if (found === undefined) return;
      spans.delete(id);
      count -= found.length;
      for (const span of found) wantedSize -= span.length;
      tidy();
    },
  };
}
