import type { Pool } from "../pool/pool.ts";

/** Where a body is: in a file of its own, or in a part of a file that small bodies share. */
export interface BodyLocation {
  readonly path: string;
  readonly start: number;
  /** Undefined for a file of its own. */
  readonly length: number | undefined;
}

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

export function locateBody({ path }: Pick<Pool, "path">, name: string): BodyLocation {
  const [, start, length] = RANGE.exec(name) ?? [];
  return {
    path: path(fileOfBody(name)),
    start: Number(start ?? 0),
    length: length === undefined ? undefined : Number(length),
  };
}
