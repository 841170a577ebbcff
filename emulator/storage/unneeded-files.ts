import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { bodiesOfHistory } from "./history/history-file.ts";
import { filesNamedBy, ownersNamedBy, readManifest } from "./journal/read-manifest.ts";
import { writeState } from "./journal/state.ts";
import { fileOfBody } from "./objects/body-location.ts";
import type { Manifest } from "./pool/names.ts";
import { type Pool, type PoolNames, poolNames, poolPath } from "./pool/pool.ts";
import { recordFilesOf } from "./pool/uses.ts";
import { unlessDamaged } from "./store-error.ts";

/** An order to remove the files of these owners, which no longer write, except for those that a manifest leads to. */
export interface SweepOrder {
  readonly root: string;
  readonly id: string;
  readonly owners: readonly number[];
  readonly manifests: readonly Manifest[];
}

/** Removes unneeded files while the pool is in use. A file that no manifest needs now is never needed later. */
export function sweepOwners({ root, id, owners, manifests }: SweepOrder): readonly number[] {
  const pool = poolNames(root, id);
  for (const file of unneeded(pool, owners, manifests)) rmSync(pool.path(file), { force: true });
  return owners;
}

/** The files in the folders of these owners that no manifest leads to. */
export function* unneeded(
  pool: PoolNames,
  owners: readonly number[],
  manifests: Iterable<Manifest>,
): Iterable<string> {
  if (owners.length === 0) return;
  const needed = new Set<string>();
  for (const manifest of manifests) for (const file of filesOf(pool, manifest)) needed.add(file);
  for (const owner of owners) for (const file of filesIn(pool.root, owner)) if (!needed.has(file)) yield file;
}

/** Every file that a manifest leads to. */
export function* filesOf(pool: PoolNames, manifest: Manifest): Iterable<string> {
  yield* recordFilesOf(manifest);
  if (manifest.history) yield* bodiesOfHistory(pool, manifest.history.file).map(fileOfBody);
  if (manifest.bodies) yield* manifest.bodies.map(fileOfBody);
  yield* filesNamedBy(readManifest(pool, manifest));
}

/** The names of the files of an owner. */
function filesIn(root: string, owner: number): readonly string[] {
  const folder = poolPath(root, String(owner));
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${owner}/${relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/")}`);
}

/**
 * Discards the files of suspect owners that no world and no snapshot references. The pool must no longer be in use. False when
 * damage hides what is referenced: then all of them stay.
 */
export function sweep(
  pool: Pool,
  manifests: { releaseAll(): void; leadingTo(owners: Iterable<number>): Iterable<Manifest> },
): boolean {
  manifests.releaseAll();
  const owners = [...pool.suspects];
  const isSwept = unlessDamaged(() => {
    for (const file of unneeded(pool, owners, manifests.leadingTo(owners))) pool.discard(pool.path(file));
    return true;
  });
  if (isSwept) pool.suspects.clear();
  return isSwept === true;
}

/** An order to replay the journals of a manifest, and to write the resulting state into one file. */
interface FoldOrder {
  readonly root: string;
  readonly id: string;
  /** Nobody appends to its journals any longer. */
  readonly manifest: Manifest;
  /** The file of the state, in the pool. */
  readonly target: string;
}

export type BackgroundOrder = FoldOrder | SweepOrder;

/** Carries out an order. Returns the owners of the files that the result needs. */
export function perform(order: BackgroundOrder): readonly number[] {
  if (!("target" in order)) return sweepOwners(order);
  const pool = poolNames(order.root, order.id);
  const state = readManifest(pool, order.manifest);
  writeState(pool, order.target, state);
  return ownersNamedBy(state);
}
