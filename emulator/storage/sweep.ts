import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { emptyState, type StoredRecord } from "../kernel/commit.ts";
import { type BodyFile, objects, s3Parts } from "../subjects/object-storage/records.ts";
import { readHead } from "./journal/read-head.ts";
import type { Heads } from "./pool/heads.ts";
import type { Head } from "./pool/names.ts";
import type { Pool } from "./pool/pool.ts";
import { DATA, INDEX } from "./rows/segment.ts";

const NO_STATE = emptyState(0, 0, { mode: "frozen", rate: 1 });

/** Discards the files of suspect owners that no world and no snapshot references. The pool must no longer be in use. */
export function sweep(pool: Pool, heads: Heads): void {
  heads.releaseAll();
  const owners = [...pool.suspects];
  if (owners.length === 0) return;
  const needed = new Set<string>();
  for (const head of heads.all())
    if (owners.some((owner) => head.owner === owner || head.others.includes(owner)))
      for (const file of filesOf(pool, head)) needed.add(file);
  for (const owner of owners)
    for (const file of filesIn(pool, owner)) if (!needed.has(file)) pool.discard(pool.path(file));
  pool.suspects.clear();
}

/** Every file that a head leads to. */
export function* filesOf(pool: Pick<Pool, "path">, head: Head): Iterable<string> {
  const { state, rows } = readHead(pool, head, NO_STATE);
  if (head.state !== null) yield head.state;
  for (const { file } of head.journals) yield file;
  for (const { pieces } of rows.segments)
    for (const { file } of pieces) {
      yield file + DATA;
      yield file + INDEX;
    }
  for (const { record } of [
    ...bodiesOf(state.records, objects.name),
    ...bodiesOf(state.records, s3Parts.name),
  ])
    yield (record as BodyFile).file;
}

function bodiesOf(
  records: Readonly<Record<string, readonly StoredRecord[]>>,
  name: string,
): readonly StoredRecord[] {
  return records[name] ?? [];
}

/** The names of an owner's files. */
function filesIn(pool: Pool, owner: number): readonly string[] {
  const folder = pool.folder(owner);
  if (!pool.owners().includes(owner)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${owner}/${relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/")}`);
}
