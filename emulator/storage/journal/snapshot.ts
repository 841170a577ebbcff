import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { LowSync } from "lowdb";
import { JSONFileSync } from "lowdb/node";
import type { WorldState } from "../../kernel/commit.ts";

/** The layout of the data folder; raised when an older emulator could not read a newer one's files. */
export const FORMAT = 1;

/** A world as of the end of one journal file: the JSON file that a person can read. */
export interface StateSnapshot {
  readonly format: number;
  /** Journal files up to this number are contained. */
  readonly upTo: number;
  readonly state: WorldState;
}

/** A data folder that cannot be read; the message says what to do with it. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** Reads the snapshot of a world's folder; undefined when there is none yet. */
export function readSnapshot(folder: string): StateSnapshot | undefined {
  const file = snapshotFile(folder);
  if (!existsSync(file)) return undefined;
  const database = new LowSync<Partial<StateSnapshot>>(new JSONFileSync(file), {});
  try {
    database.read();
  } catch (error) {
    throw new StoreError(`${file} is not readable JSON (${(error as Error).message}); restore or remove it.`);
  }
  const { format } = database.data;
  if (typeof format !== "number")
    throw new StoreError(`${file} does not say its format: it is not an emulator's.`);
  if (format > FORMAT)
    throw new StoreError(
      `${file} has format ${format}; this emulator reads up to ${FORMAT}. Use a newer emulator, or another --data folder.`,
    );
  return database.data as StateSnapshot;
}

/** Replaces the snapshot in one step: a reader finds the old one or the new one, never a part. */
export function writeSnapshot(folder: string, snapshot: StateSnapshot): void {
  try {
    new LowSync<StateSnapshot>(new JSONFileSync(snapshotFile(folder)), snapshot).write();
  } catch (error) {
    // What a full disk took of it would keep that disk full.
    rmSync(join(folder, ".world.json.tmp"), { force: true });
    throw error;
  }
}

/** True for the folder of a world that has begun. */
export function holdsRecords(folder: string): boolean {
  return existsSync(snapshotFile(folder));
}

/** How large the snapshot of a folder is; 0 when there is none. */
export function snapshotBytes(folder: string): number {
  return statSync(snapshotFile(folder), { throwIfNoEntry: false })?.size ?? 0;
}

export function snapshotFile(folder: string): string {
  return join(folder, "world.json");
}
