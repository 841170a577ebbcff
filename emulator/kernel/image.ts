import type { WorldState } from "./commit.ts";
import { createRecords, type Records } from "./records.ts";
import type { Collection } from "./table.ts";

/**
 * A world at one instant, in memory: what another one begins with. It shares its records with the world that
 * it was taken of, so taking it costs little whatever they hold; every world begun with it copies them again.
 */
export interface WorldImage extends Omit<WorldState, "records"> {
  readonly records: Records;
}

/** The image of a world that was kept as plain data. */
export function imageOf(state: WorldState, collections: readonly Collection<never>[]): WorldImage {
  return { ...state, records: createRecords(collections, state.records) };
}
