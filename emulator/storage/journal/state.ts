import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { LowSync } from "lowdb";
import { JSONFileSync } from "lowdb/node";
import type { WorldState } from "../../kernel/commit.ts";
import type { NamedRows } from "../pool/names.ts";
import { StoreError } from "../store-error.ts";

/** Raised when an older emulator could not read a newer one's files. */
const FORMAT = 2;

/** A world as of the end of some journal, in a JSON file that a person can read. */
export interface StoredState {
  readonly rows: NamedRows;
  readonly state: WorldState;
}

type StateFile = StoredState & { readonly format: number };

/** Reads the file of a state; what this emulator cannot read is a `StoreError`. */
export function readState(path: string): StoredState {
  const database = new LowSync<Partial<StateFile> | null>(new JSONFileSync(path), null);
  try {
    database.read();
  } catch (error) {
    throw new StoreError(`${path} is not readable JSON (${(error as Error).message}); restore or remove it.`);
  }
  if (database.data === null)
    throw new StoreError(`${path} is missing; restore it or remove the data folder.`);
  const { format, rows, state } = database.data;
  if (typeof format !== "number" || !rows || !state)
    throw new StoreError(`${path} does not say its format: it is not an emulator's.`);
  if (format > FORMAT)
    throw new StoreError(
      `${path} has format ${format}; this emulator reads up to ${FORMAT}. Use a newer emulator, or another --data folder.`,
    );
  return { rows, state };
}

/** Writes a state in one step: a reader finds all of it, or nothing. */
export function writeState(path: string, { rows, state }: StoredState): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = join(dirname(path), `.${basename(path)}.tmp`);
  try {
    // Made first, since lowdb would make it readable for everybody.
    writeFileSync(temporary, "", { mode: 0o600 });
    new LowSync<StateFile>(new JSONFileSync(path), { format: FORMAT, rows, state }).write();
  } catch (error) {
    // What a full disk took of it would keep that disk full.
    rmSync(temporary, { force: true });
    throw error;
  }
}
