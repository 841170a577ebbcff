import type { WorldState } from "./commit.ts";
import { createRecords, type Records } from "./records.ts";
import type { Collection } from "./table.ts";

/**
 * The state of a world at one instant, in memory, from which others start. It shares records with the world
 * it was taken from, so taking it is cheap for any size; every world started from it makes its own copy.
 */
export interface WorldImage extends Omit<WorldState, "records"> {
  readonly records: Records;
}

/** The image of a world that was kept as plain data. */
export function imageOf(state: WorldState, collections: readonly Collection<never>[]): WorldImage {
  return { ...state, records: createRecords(collections, state.records) };
}
