import { rmSync } from "node:fs";
import { sizeOf, truncateTo, writeAll } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { fileOfBody, sharedName } from "./body-location.ts";

/** Files that small bodies share: creating a file takes longer than everything else that a small object takes. */
export interface SharedFiles {
  /** Appends a body; returns its name. */
  append(bytes: Uint8Array): string;
  /** Marks a body as unneeded; its file is removed with the last needed body in it. */
  release(name: string): void;
  /** Keeps the current files, however many of their bodies are released. */
  seal(): void;
}

/** A file of this size gets no more bodies. */
const FULL_BYTES = 1024 * 1024;

export function createSharedFiles(
  { path, files }: Pick<Pool, "path" | "files">,
  nextName: () => string,
): SharedFiles {
  /** The number of needed bodies in each file. */
  const counts = new Map<string, number>();
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
        // The part that a full disk took would keep that disk full.
        truncateTo(descriptor, start);
        throw error;
      }
      counts.set(file, (counts.get(file) ?? 0) + 1);
      if (start + bytes.length >= FULL_BYTES) last = undefined;
      return sharedName(file, start, bytes.length);
    },
    release(name) {
      const file = fileOfBody(name);
      const remaining = (counts.get(file) ?? 0) - 1;
      if (remaining > 0) counts.set(file, remaining);
      if (remaining !== 0) return;
      counts.delete(file);
      if (last === file) last = undefined;
      files.release(path(file));
      rmSync(path(file), { force: true });
    },
    seal() {
      counts.clear();
      last = undefined;
    },
  };
}
