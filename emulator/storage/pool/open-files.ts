import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname, sep } from "node:path";
import { refusalIn } from "../../kernel/system-refusal.ts";

/** Writes all bytes at a position of a file, or at the end of one that was opened for appending. */
export function writeAll(file: number, bytes: Uint8Array, position?: number): void {
  // A disk that is nearly full takes a part, and says so by its length alone.
  for (let written = 0; written < bytes.length; ) {
    const at = position === undefined ? null : position + written;
    written += writeSync(file, bytes, written, bytes.length - written, at);
  }
}

/** Reads exactly so many bytes; a shorter file is an error. */
export function readExactly(file: number, bytes: Buffer, position: number): Buffer {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(file, bytes, done, bytes.length - done, position + done);
    if (count === 0)
      throw new Error(`a trace file ends at byte ${position + done}, before its index says so`);
    done += count;
  }
  return bytes;
}

/** Bytes of an open file. */
export function sizeOf(file: number): number {
  return fstatSync(file).size;
}

/** Cuts a file back to what counts of it. */
export function truncateTo(file: number, size: number): void {
  if (sizeOf(file) > size) ftruncateSync(file, size);
}

/** The files that the worlds of a process have open; the one used longest ago is closed for another. */
export interface OpenFiles {
  /** Opens a file for a caller that closes it; where nothing more may be opened, those that are kept open here make room. */
  open(open: () => number): number;
  /** The descriptor of a file that is there; it may be used until another one is asked for. */
  read(path: string): number;
  /** The same for a file that is read and appended to; it is created when it is missing. */
  append(path: string): number;
  /** The same descriptor, of a file that has been appended to: none is created. */
  appended(path: string): number;
  /** The same for a file that is there, and is written to at any place. */
  change(path: string): number;
  /** Closes a file, or all that are below a folder. */
  release(path: string): void;
}

/** How many files of worlds are open at most, where the system permits as many. */
export const MAX_FILES = 256;
/** A key is a mode, a space and a path. */
const MODE_CHARS = 2;

function openForAppending(path: string): number {
  try {
    return openSync(path, "a+", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, "a+", 0o600);
  }
}

function openOrRefuse(open: () => number): number {
  try {
    return open();
  } catch (error) {
    throw refusalIn(error) ?? error;
  }
}

/** Holds up to so many files open. */
export function createOpenFiles(maxFiles = MAX_FILES): OpenFiles {
  // Maps keep the order of insertion, so the first key is that of the file used longest ago.
  const files = new Map<string, number>();

  function close(key: string, file: number): void {
    files.delete(key);
    closeSync(file);
  }

  function openOrMakeRoom(open: () => number): number {
    try {
      return open();
    } catch (error) {
      // Nothing more may be opened.
      if (refusalIn(error)?.status !== 429) throw error;
      for (const each of [...files]) close(...each);
      return openOrRefuse(open);
    }
  }

  function of(key: string, open: () => number): number {
    const known = files.get(key);
    const file = known ?? openOrMakeRoom(open);
    if (known !== undefined) files.delete(key);
    files.set(key, file);
    const [oldest] = files;
    if (files.size > maxFiles && oldest) close(...oldest);
    return file;
  }

  return {
    open: openOrMakeRoom,
    read: (path) => of(`r ${path}`, () => openSync(path, "r")),
    append: (path) => of(`a ${path}`, () => openForAppending(path)),
    appended: (path) => of(`a ${path}`, () => openSync(path, constants.O_RDWR | constants.O_APPEND)),
    change: (path) => of(`w ${path}`, () => openSync(path, "r+")),
    release(path) {
      for (const [key, file] of [...files]) {
        const open = key.slice(MODE_CHARS);
        if (open === path || open.startsWith(path + sep)) close(key, file);
      }
    },
  };
}
