import type { ChildProcess } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Files below a folder, and their bytes. */
export interface Usage {
  readonly files: number;
  readonly bytes: number;
}

/** What lies below a folder; files that go meanwhile do not count. */
export function usageOf(folder: string): Usage {
  const sizes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0);
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Open descriptors of a process, on systems that show them. */
export function descriptorsOf({ pid }: ChildProcess): number {
  return process.platform === "linux" ? readdirSync(`/proc/${pid}/fd`).length : 0;
}
