import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { emptyState } from "../kernel/commit.ts";
import { bodiesOfPast } from "./history/past-file.ts";
import { filesNamedBy } from "./journal/named-files.ts";
import { readHead } from "./journal/read-head.ts";
import { fileOfBody } from "./objects/body-location.ts";
import type { Head } from "./pool/names.ts";
import { type Pool, poolPath } from "./pool/pool.ts";

const NO_STATE = emptyState(0, 0, { mode: "frozen", rate: 1 });

/** The files of owners that write no more are to go, but for those that a head leads to. */
export interface SweepOrder {
  readonly root: string;
  readonly owners: readonly number[];
  readonly heads: readonly Head[];
}

/** Removes them while the pool is in use: whoever comes to need a file needs it now. */
export function sweepOwners({ root, owners, heads }: SweepOrder): readonly number[] {
  for (const file of unneeded(root, owners, heads)) rmSync(poolPath(root, file), { force: true });
  return owners;
}

/** What lies in the folders of owners and is named by no head. */
export function* unneeded(root: string, owners: readonly number[], heads: Iterable<Head>): Iterable<string> {
  if (owners.length === 0) return;
  const needed = new Set<string>();
  const path = (file: string): string => poolPath(root, file);
  for (const head of heads) for (const file of filesOf({ path }, head)) needed.add(file);
  for (const owner of owners) for (const file of filesIn(root, owner)) if (!needed.has(file)) yield file;
}

/** Every file that a head leads to. */
export function* filesOf(pool: Pick<Pool, "path">, head: Head): Iterable<string> {
  if (head.state !== null) yield head.state;
  if (head.past) yield* [head.past.file, ...bodiesOfPast(pool.path(head.past.file)).map(fileOfBody)];
  for (const { file } of head.journals) yield file;
  if (head.bodies) yield* head.bodies.map(fileOfBody);
  yield* filesNamedBy(readHead(pool, head, NO_STATE));
}

/** The names of an owner's files. */
function filesIn(root: string, owner: number): readonly string[] {
  const folder = poolPath(root, String(owner));
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${owner}/${relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/")}`);
}
