import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Manifest } from "../../emulator/storage/pool/names.ts";
import { poolNames, poolPath } from "../../emulator/storage/pool/pool.ts";
import { filesOf } from "../../emulator/storage/unneeded-files.ts";

/** The manifests of the worlds and snapshots of a data folder that nobody uses. */
function manifestsIn(folder: string): Manifest[] {
  const manifests = new Map<string, Manifest>();
  for (const text of readFileSync(join(folder, "worlds.ndjson"), "utf8").split("\n").slice(0, -1)) {
    const { kind, name, entry } = JSON.parse(text);
    if (!kind) continue;
    if (entry) manifests.set(`${kind} ${name}`, entry.manifest);
    else manifests.delete(`${kind} ${name}`);
  }
  return [...manifests.values()];
}

/** Files in the pool of a data folder that no world and no snapshot needs. */
export function unneededFiles(folder: string): string[] {
  const pool = poolNames(folder);
  const { path } = pool;
  const needed = new Set(manifestsIn(folder).flatMap((manifest) => [...filesOf(pool, manifest)]));
  if (!existsSync(path(""))) return [];
  return readdirSync(path(""), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(path(""), join(entry.parentPath, entry.name)))
    .filter((file) => !needed.has(file));
}

/** The file with the state of the only world of a data folder, once it was closed. */
export function stateFileIn(folder: string): string {
  const files = readdirSync(poolPath(folder, ""), { recursive: true }) as string[];
  const states = files.filter((name) => /state-\d+\.json$/.test(name));
  if (states.length !== 1 || states[0] === undefined) throw new Error(`no one state in ${folder}: ${states}`);
  return poolPath(folder, states[0]);
}

/** A data file of trace rows in a data folder, the first by name. */
export function rowFileIn(folder: string): string {
  const files = readdirSync(poolPath(folder, ""), { recursive: true }) as string[];
  const [file] = files.filter((name) => /rows.*\.ndjson$/.test(name)).sort();
  if (file === undefined) throw new Error(`no rows in ${folder}`);
  return poolPath(folder, file);
}
