import { existsSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { WorldState } from "../../kernel/commit.ts";
import { createRecords } from "../../kernel/records.ts";
import type { Collection } from "../../kernel/table.ts";
import { objects } from "../../subjects/object-storage/records.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { createSealing } from "../journal/sealing.ts";
import { writeState } from "../journal/state.ts";
import { createBodyOpener } from "../objects/opened-body.ts";
import { createObjectsView } from "../objects/view.ts";
import type { SnapshotEntry, WorldEntry } from "../pool/entries.ts";
import { type KnownHeads, logPath, openLog } from "../pool/heads-log.ts";
import { type Head, type NamedRows, NOBODY, newHead, stateName } from "../pool/names.ts";
import { openPool, type Pool } from "../pool/pool.ts";
import { sealedPiece } from "../rows/segment.ts";
import { keyPath, openSecrets } from "../secrets.ts";
import { filesOf } from "../unneeded-files.ts";
import { createFindings, type Findings, type RepairReport } from "./findings.ts";
import { type FoundHead, findHeads, findSecrets, readFound, tried } from "./heads.ts";
import { unsealed, withoutLostBodies } from "./records.ts";
import { examineRows } from "./rows.ts";

/** A world or snapshot with what is left of it. */
interface MendedHead extends FoundHead {
  /** Opened; undefined for one that is lost. */
  readonly state: WorldState | undefined;
  /** Whether its files lead to just that. */
  readonly isSame: boolean;
}

/**
 * Reads all files of a data folder, which no process may hold. With `mayChange`, makes anew what can be, puts aside what
 * cannot, and leaves a folder that an emulator starts in; nothing is deleted. A folder of another version is a `StoreError`.
 */
export async function examineFolder(root: string, mayChange: boolean): Promise<RepairReport> {
  const findings = createFindings(root, mayChange);
  if (![logPath(root), join(root, "pool")].some(existsSync)) return findings.report();
  const pool = openPool(root, true);
  const own = findSecrets(pool, findings);
  const known = findHeads(pool, findings);
  const found = readFound(pool, known, findings);
  const rows = found.flatMap(({ stored }) => (stored ? [sealedRows(stored.rows)] : []));
  await examineRows(pool, rows, findings, mayChange);
  const key = own ?? (mayChange ? newKey(root, findings) : undefined);
  const mended = await mendAll(pool, found, findings, { key, isLost: !own });
  if (mayChange && findings.report().problems.length > 0 && key)
    writeAll({ pool, known, findings, key }, mended);
  return findings.report();
}

function newKey(root: string, findings: Findings): Secrets {
  findings.putAside(keyPath(root));
  findings.lost("secrets of destinations, key pairs and webhooks, since the key is lost; give them again");
  return openSecrets(root, true);
}

function sealedRows({ next, segments }: NamedRows): NamedRows {
  return {
    next,
    segments: segments.map((each) => ({
      ...each,
      pieces: each.pieces.map((piece) => sealedPiece(piece, next)),
    })),
  };
}

async function mendAll(
  pool: Pool,
  found: readonly FoundHead[],
  findings: Findings,
  { key, isLost }: { readonly key: Secrets | undefined; readonly isLost: boolean },
): Promise<MendedHead[]> {
  const opener = createBodyOpener(pool);
  const mended: MendedHead[] = [];
  for (const each of found) {
    const title = `the ${each.kind} ${each.name}`;
    const { stored } = each;
    const state = stored && (key ? tried(findings, () => unsealed(stored.state, key, isLost)) : stored.state);
    if (!state) findings.lost(`${title}${each.name === "main" ? ", which begins anew" : ""}`);
    else if (!each.isWhole) findings.lost(`turns of ${title} after turn ${state.turn}`);
    else if (!each.hasPast) findings.lost(`the past of ${title}, which itself is whole`);
    const left = state && (await withoutLostBodies(state, { title, findings }, opener));
    mended.push({ ...each, state: left, isSame: each.isWhole && each.hasPast && left === state && !isLost });
  }
  return mended;
}

interface Repair {
  readonly pool: Pool;
  readonly known: KnownHeads;
  readonly findings: Findings;
  readonly key: Secrets;
}

/** What has changed gets files of its own; the others stay as they are. */
function writeAll(repair: Repair, mended: readonly MendedHead[]): void {
  const { pool, known, findings, key } = repair;
  for (const each of mended) if (!each.isSame) replace(repair, each);
  for (const path of [logPath(pool.root), logPath(pool.root, true)]) findings.putAside(path);
  openLog(pool, known, key).close();
  putAsideUnneeded(repair);
  for (const { kind, name, head, state } of mended)
    if (kind === "world" && state) showObjects(pool, name, state, head.owner);
}

function replace({ pool, known, key }: Repair, { kind, name, head, stored, state }: MendedHead): void {
  const entries = known[kind];
  const entry = entries.get(name);
  entries.delete(name);
  if (!entry || !stored || !state) return;
  const owner = known.next++;
  const file = stateName(owner, 1);
  writeState(pool.path(file), { state: createSealing(key).state(state), rows: sealedRows(stored.rows) });
  const others = [...head.others, owner, ...(head.owner === NOBODY ? [] : [head.owner])];
  const left: Head = { owner: NOBODY, state: file, journals: [], others };
  if (kind === "snapshot") known.snapshot.set(name, { ...(entry as SnapshotEntry), head: left });
  else known.world.set(name, { ...(entry as WorldEntry), head: newHead(known.next++, true, left) });
}

/** A start would discard what no world leads to. */
function putAsideUnneeded({ pool, known, findings }: Repair): void {
  const heads = [...known.world.values(), ...known.snapshot.values()].map(({ head }) => head);
  const needed = new Set(heads.flatMap((head) => [...filesOf(pool, head)]));
  for (const owner of pool.owners()) {
    const folder = pool.folder(owner);
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const file = `${owner}/${relative(folder, path).split(sep).join("/")}`;
      if (entry.isFile() && !needed.has(file)) findings.putAside(path);
    }
  }
  const worlds = join(pool.root, "worlds");
  for (const name of existsSync(worlds) ? readdirSync(worlds) : [])
    if (!known.world.has(name)) findings.putAside(join(worlds, name));
}

/** The objects that the world has written, under their keys. */
function showObjects(pool: Pool, world: string, state: WorldState, owner: number): void {
  const { reader } = createRecords([objects as Collection<never>], state.records);
  const view = createObjectsView({ pool, world, owner, reader: () => reader });
  view.reconcile();
  view.catchUp();
  view.stop();
}
