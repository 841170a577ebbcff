import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { LowSync } from "lowdb";
import { DataFileSync } from "lowdb/node";
import type { WorldState } from "../../kernel/commit.ts";
import type { WorldImage } from "../../kernel/image.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { parseSummed, withSum } from "../checksum.ts";
import { type Manifest, type NamedRows, NOBODY, stateName } from "../pool/names.ts";
import type { Pool, PoolNames } from "../pool/pool.ts";
import { namesIn, type RowsImage } from "../rows/image.ts";
import { damaged, readStored } from "../store-error.ts";
import { createSealing } from "./sealing.ts";

/** The state of a world, in a JSON file that a person can read. */
export interface StoredState {
  readonly rows: NamedRows;
  readonly state: WorldState;
}

/** The records of an image as plain data. */
export function stateOf({ image }: { readonly image: WorldImage }): WorldState {
  return { ...image, records: image.records.storedRecords() };
}

/** Reads the file of a state. Throws a `StoreError` when it is missing or damaged. */
export function readState(pool: PoolNames, file: string): StoredState {
  const path = pool.path(file);
  const bytes = readStored(path, () => readFileSync(path));
  const content = parseSummed(bytes, pool.sealOf(file)) as StoredState | undefined;
  if (!content) throw damaged(path);
  return { rows: content.rows, state: content.state };
}

/** Writes a state in one step: a reader finds the whole file or none. */
export function writeState(pool: PoolNames, file: string, { rows, state }: StoredState): void {
  const path = pool.path(file);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = join(dirname(path), `.${basename(path)}.tmp`);
  const text = {
    parse: JSON.parse,
    stringify: (content: StoredState) => withSum(JSON.stringify(content, null, 2), pool.sealOf(file)),
  };
  try {
    // The file is created first, because lowdb would make it readable for everybody.
    writeFileSync(temporary, "", { mode: 0o600 });
    new LowSync<StoredState>(new DataFileSync(path, text), { rows, state }).write();
  } catch (error) {
    // A part that fits on a full disk would keep the disk full.
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Makes a manifest for these records, in a new file if the pool is persistent, and for rows and bodies of other owners. */
export function manifestOf(
  { pool, manifests, secrets }: { pool: Pool; manifests: { nextOwner(): number }; secrets: Secrets },
  source: { readonly image: WorldImage; readonly rows: RowsImage },
  others: readonly number[],
): Manifest {
  if (!pool.isPersistent) return { owner: NOBODY, state: null, journals: [], others };
  const owner = manifests.nextOwner();
  const file = stateName(owner, 1);
  const state = createSealing(secrets).state(stateOf(source));
  writeState(pool, file, { state, rows: namesIn(source.rows) });
  return { owner: NOBODY, state: file, journals: [], others: [...others, owner] };
}
