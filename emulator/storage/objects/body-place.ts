import type { Pool } from "../pool/pool.ts";

/** Where a body lies: in a file of its own, or in a stretch of one that small bodies share. */
export interface BodyPlace {
  readonly path: string;
  readonly start: number;
  /** Undefined for a file of its own. */
  readonly length: number | undefined;
}

/** So many bodies lie in one folder. */
const FOLDER_BITS = 10;
const STRETCH = /@(\d+)\+(\d+)$/;

/** Where the nth body of an owner lies. */
export function bodyName(owner: number, number: number): string {
  return `${owner}/bodies/${number >> FOLDER_BITS}/${number}`;
}

/** A body that shares a file with others. */
export function sharedName(file: string, start: number, length: number): string {
  return `${file}@${start}+${length}`;
}

/** The file in which a body lies. */
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

export function placeOfBody({ path }: Pick<Pool, "path">, name: string): BodyPlace {
  const [, start, length] = STRETCH.exec(name) ?? [];
  return {
    path: path(fileOfBody(name)),
    start: Number(start ?? 0),
    length: length === undefined ? undefined : Number(length),
  };
}
