import type { ChildProcess } from "node:child_process";
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Files below a folder, and their bytes. */
export interface Usage {
  readonly files: number;
  readonly bytes: number;
}

/** The files below a folder and their bytes; files that disappear meanwhile do not count. */
export function usageOf(folder: string): Usage {
  let [files, bytes] = [0, 0];
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    const below = entry.isDirectory() ? usageOf(path) : { files: 1, bytes: sizeOf(path) };
    files += below.files;
    bytes += below.bytes;
  }
  return { files, bytes };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return [];
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Open descriptors of a process, on systems that show them. */
export function descriptorsOf({ pid }: ChildProcess): number {
  return process.platform === "linux" ? readdirSync(`/proc/${pid}/fd`).length : 0;
}
