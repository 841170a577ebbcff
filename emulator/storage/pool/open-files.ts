import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, sep } from "node:path";
import { refusalIn } from "../../kernel/system-refusal.ts";
import { readStored, tooShort } from "../store-error.ts";

/** Writes all bytes at a position of a file, or at the end of a file that is open for appending. */
export function writeAll(file: number, bytes: Uint8Array, position?: number): void {
  // A disk that is nearly full accepts only a part, and reports only its length.
  for (let offset = 0; offset < bytes.length; ) {
    const at = position === undefined ? null : position + offset;
    offset += writeSync(file, bytes, offset, bytes.length - offset, at);
  }
}

/** Opens a stored file for reading. Throws a `StoreError` when that fails. */
export function openStored(path: string): number {
  return readStored(path, () => openSync(path, "r"));
}

/** Fills the buffer from an open file. Throws a `StoreError` when the file is shorter or cannot be read. */
export function readExactly(file: number, bytes: Buffer, position: number, path: string): Buffer {
  const read = (offset: number): number =>
    readSync(file, bytes, offset, bytes.length - offset, position + offset);
  for (let offset = 0; offset < bytes.length; ) {
    const count = readStored(path, () => read(offset));
    if (count === 0) throw tooShort(path, position + bytes.length);
    offset += count;
  }
  return bytes;
}

/** Bytes of an open file. */
export function sizeOf(file: number): number {
  return fstatSync(file).size;
}

/** Bytes of the file at a path; 0 when it is missing. */
export function sizeAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Cuts a file that is longer than this. */
export function truncateTo(file: number, size: number): void {
  if (sizeOf(file) > size) ftruncateSync(file, size);
}

/** Writes at the end of a file of this size. Removes a partial write, which would keep a full disk full. */
export function writeOrCut(file: number, bytes: Uint8Array, size: number): void {
  try {
    writeAll(file, bytes, size);
  } catch (error) {
    truncateTo(file, size);
    throw error;
  }
}

/** Creates the folder of a file only when it is missing, which is rare. */
export function withFolder<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return act();
  }
}

/** The most open files of worlds, if the system permits that many. */
export const MAX_FILES = 256;
/** A key is a mode, a space and a path. */
const MODE_CHARS = 2;

/** The open files of all worlds of a process. The least recently used one is closed to make room. */
export function createOpenFiles(maxFiles = MAX_FILES) {
  // Maps keep the order of insertion, so the first key is the least recently used file.
  const files = new Map<string, number>();

  function close(key: string, file: number): void {
    files.delete(key);
    closeSync(file);
  }

  function openOrMakeRoom(open: () => number, hasRoom = false): number {
    try {
      return open();
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal?.status !== 429) throw error;
      if (hasRoom) throw refusal;
      for (const each of [...files]) close(...each);
      return openOrMakeRoom(open, true);
    }
  }

  function descriptor(key: string, open: () => number): number {
    const file = files.get(key) ?? openOrMakeRoom(open);
    files.delete(key);
    files.set(key, file);
    const [oldest] = files;
    if (files.size > maxFiles && oldest) close(...oldest);
    return file;
  }

  return {
    /** Opens a file for a caller that closes it. If the system permits no more open files, all files of this pool are closed first. */
    open: (act: () => number): number => openOrMakeRoom(act),
    /** The descriptor of an existing file, valid until the next call. */
    read: (path: string): number => descriptor(`r ${path}`, () => openStored(path)),
    /** The same for reading and appending. Creates a missing file. */
    append: (path: string): number =>
      descriptor(`a ${path}`, () => withFolder(path, () => openSync(path, "a+", 0o600))),
    /** The same descriptor, for a file that must exist. */
    appended: (path: string): number =>
      descriptor(`a ${path}`, () =>
        readStored(path, () => openSync(path, constants.O_RDWR | constants.O_APPEND)),
      ),
    /** The same for writing at any position of an existing file. */
    change: (path: string): number => descriptor(`w ${path}`, () => openSync(path, "r+")),
    /** Closes a file, or all files below a folder. */
    release(path: string): void {
      for (const [key, file] of [...files]) {
        const open = key.slice(MODE_CHARS);
        if (open === path || open.startsWith(path + sep)) close(key, file);
      }
    },
  };
}
