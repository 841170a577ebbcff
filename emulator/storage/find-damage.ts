import { existsSync } from "node:fs";
import type { Secrets } from "../subjects/turn.ts";
import { bodiesOf } from "./archive/bodies.ts";
import { readHistory } from "./history/history-file.ts";
import { readManifest } from "./journal/read-manifest.ts";
import { createSealing } from "./journal/sealing.ts";
import { damagedBodies } from "./objects/opened-body.ts";
import { logPath, readLog } from "./pool/manifest-log.ts";
import type { Manifest } from "./pool/names.ts";
import { openPool, type Pool, poolPath } from "./pool/pool.ts";
import { checkRows } from "./rows/row-files.ts";
import { openSecrets } from "./secrets.ts";
import { type StoreError, unlessDamaged } from "./store-error.ts";

type Report = (damage: StoreError) => void;

/**
 * Reads all files of a data folder, which no process may hold, and describes each damage in one sentence. Throws a `StoreError` for a
 * folder of another version.
 */
export async function findDamage(root: string): Promise<readonly string[]> {
  if (![logPath(root), poolPath(root, "")].some(existsSync)) return [];
  const problems = new Set<string>();
  const report: Report = ({ message }) => void problems.add(message);
  const pool = openPool(root, true);
  const secrets = attempt(report, () => openSecrets(root));
  const checkedFiles = new Set<string>();
  for (const manifest of readManifests(pool, secrets, report)) {
    const world = attempt(report, () => readManifest(pool, manifest));
    attempt(report, () => manifest.history && readHistory(pool, manifest.history.file));
    if (!world) continue;
    attempt(report, () => secrets && createSealing(secrets).openState(world.state));
    checkRows(pool, world.rows, report, checkedFiles);
    for await (const damage of damagedBodies(pool, bodiesOf(world.state.records))) report(damage);
  }
  return [...problems];
}

/** Reports a `StoreError` of an act and returns undefined. */
function attempt<T>(report: Report, act: () => T): T | undefined {
  return unlessDamaged(act, (damage) => {
    if (damage.code === "other_format") throw damage;
    report(damage);
  });
}

/** The manifests of all worlds and snapshots, from the list of worlds or, if that is damaged, from its copy. */
function readManifests(pool: Pool, secrets: Secrets | undefined, report: Report): readonly Manifest[] {
  const list = attempt(report, () => readLog(pool, secrets));
  const copy = attempt(report, () => readLog(pool, secrets, true));
  const { world, snapshot } = list ?? copy ?? {};
  return [...(world?.values() ?? []), ...(snapshot?.values() ?? [])].map(({ manifest }) => manifest);
}
