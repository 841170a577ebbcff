import { rmSync } from "node:fs";
import { sizeOf, truncateTo, writeAll } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { fileOfBody, sharedName } from "./body-place.ts";

/** Files that small bodies share: to make a file takes longer than all else that a small object takes. */
export interface SharedFiles {
  /** Appends a body; answers its name. */
  append(bytes: Uint8Array): string;
  /** Nothing needs this body any more; its file goes with the last of those in it. */
  leave(name: string): void;
  /** What is there stays as it is, however many leave it. */
  seal(): void;
}

/** A file of so many bytes is full. */
const FULL_BYTES = 1024 * 1024;

export function createSharedFiles(
  { path, files }: Pick<Pool, "path" | "files">,
  nextName: () => string,
): SharedFiles {
  /** How many bodies of a file are needed. */
  const needed = new Map<string, number>();
  let last: string | undefined;

  return {
    append(bytes) {
      last ??= nextName();
      const file = last;
      const descriptor = files.append(path(file));
      const start = sizeOf(descriptor);
      try {
        writeAll(descriptor, bytes);
      } catch (error) {
        // What a full disk took of it would keep that disk full.
        truncateTo(descriptor, start);
        throw error;
      }
      needed.set(file, (needed.get(file) ?? 0) + 1);
      if (start + bytes.length >= FULL_BYTES) last = undefined;
      return sharedName(file, start, bytes.length);
    },
    leave(name) {
      const file = fileOfBody(name);
      const left = (needed.get(file) ?? 0) - 1;
      if (left > 0) needed.set(file, left);
      if (left !== 0) return;
      needed.delete(file);
      if (last === file) last = undefined;
      files.release(path(file));
      rmSync(path(file), { force: true });
    },
    seal() {
      needed.clear();
      last = undefined;
    },
  };
}
