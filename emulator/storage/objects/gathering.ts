import * as fs from "node:fs";
import { join } from "node:path";
import type { Reader } from "../../subjects/turn.ts";
import { shareBody } from "./copy-on-write.ts";
import { bodiesIn } from "./sweep.ts";

/** So many folders a fork may read through: each is looked into for a body that the nearer ones do not have. */
export const BASES_MAX = 32;

/** Brings all bodies that records speak of into one folder, so that nothing else has to be read through. */
export function gatherBodies(reader: Reader, folders: readonly string[], target: string): void {
  for (const { file } of bodiesIn(reader)) {
    const from = folders.map((folder) => join(folder, file)).find((path) => fs.existsSync(path));
    if (from !== undefined) shareBody(target, file, from);
  }
}

/** True for a folder that was never made, too. */
export function hasNoBodies(folder: string): boolean {
  return !fs.existsSync(folder) || fs.readdirSync(folder).length === 0;
}
