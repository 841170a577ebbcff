import { rmSync } from "node:fs";
import { sizeOf, writeOrCut } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";

/** Where a body is: in a file of its own, or in a part of a file that small bodies share. */
export type BodyLocation = Readonly<ReturnType<typeof locateBody>>;

/** A folder holds 2¹⁰ bodies. */
const FOLDER_BITS = 10;
const RANGE = /@(\d+)\+(\d+)$/;

/** The name of the nth body of an owner. */
export function bodyName(owner: number, number: number): string {
  return `${owner}/bodies/${number >> FOLDER_BITS}/${number}`;
}

/** The name of a body that shares a file with others. */
export function sharedName(file: string, start: number, length: number): string {
  return `${file}@${start}+${length}`;
}

/** The file that holds a body. */
export function fileOfBody(name: string): string {
  const at = name.indexOf("@");
  return at < 0 ? name : name.slice(0, at);
}

export function isShared(name: string): boolean {
  return name.includes("@");
}

export function numberOfBody(name: string): number {
  const file = fileOfBody(name);
  return Number(file.slice(file.lastIndexOf("/") + 1));
}

export function locateBody({ path }: Pick<Pool, "path">, name: string) {
  const [, start, length] = RANGE.exec(name) ?? [];
  return {
    path: path(fileOfBody(name)),
    start: Number(start ?? 0),
    /** Undefined for a file of its own. */
    length: length === undefined ? undefined : Number(length),
  };
}

/** A file of this size gets no more bodies. */
const FULL_BYTES = 1024 * 1024;

export type SharedFiles = ReturnType<typeof createSharedFiles>;

/** Files that small bodies share: creating a file takes longer than everything else that a small object takes. */
export function createSharedFiles({ path, files }: Pick<Pool, "path" | "files">, nextName: () => string) {
  /** The number of needed bodies in each file. */
  const counts = new Map<string, number>();
  let last: string | undefined;

  return {
    /** Appends a body; returns its name. */
    append(bytes: Uint8Array): string {
      last ??= nextName();
      const file = last;
      const descriptor = files.append(path(file));
      const start = sizeOf(descriptor);
      writeOrCut(descriptor, bytes, start);
      counts.set(file, (counts.get(file) ?? 0) + 1);
      if (start + bytes.length >= FULL_BYTES) last = undefined;
      return sharedName(file, start, bytes.length);
    },
    /** Marks a body as unneeded; its file is removed with the last needed body in it. */
    release(name: string): void {
      const file = fileOfBody(name);
      const remaining = (counts.get(file) ?? 0) - 1;
      if (remaining > 0) counts.set(file, remaining);
      if (remaining !== 0) return;
      counts.delete(file);
      if (last === file) last = undefined;
      files.release(path(file));
      rmSync(path(file), { force: true });
    },
    /** Keeps the current files, however many of their bodies are released. */
    seal(): void {
      counts.clear();
      last = undefined;
    },
  };
}
