import type { Configuration } from "../config/configuration.ts";
import { emptyState, type WorldState } from "../kernel/commit.ts";
import { imageOf, type WorldImage } from "../kernel/image.ts";
import { formatInstant } from "../kernel/instant.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { WorldFolder } from "../storage/folders/registry.ts";
import { openStore, readStore, type Store } from "../storage/journal/store.ts";
import type { World } from "../subjects/turn.ts";
import { COLLECTIONS } from "./assembly.ts";
import type { ForkedState } from "./fork-source.ts";

/** What a world begins with, and what keeps its turns; nothing does without a data folder. */
export interface OpenedRecords {
  readonly image: WorldImage;
  readonly store: Store | undefined;
}

/** Which records a world begins with. */
export interface RecordsOptions {
  readonly configuration: Configuration;
  readonly worldFolder: Pick<WorldFolder, "records">;
  /** Left out for a world that begins with what its folder holds. */
  readonly forkedState?: Pick<ForkedState, "image" | "last">;
}

/** Reads what a world begins with; `onFailure` hears of turns that could not be kept. */
export function openRecords(
  { configuration, worldFolder, forkedState }: RecordsOptions,
  onFailure: (error: Error) => void,
): OpenedRecords {
  const isKept = configuration.dataFolder !== null;
  const folder = worldFolder.records;
  if (forkedState)
    return {
      image: forkedState.image,
      store: isKept ? openStore({ folder, last: forkedState.last, onFailure }) : undefined,
    };
  const initial = initialState(configuration);
  if (!isKept) return { image: imageOf(initial, COLLECTIONS), store: undefined };
  const { state, last } = readStore(folder, initial);
  const image = imageOf(resumedState(state, configuration), COLLECTIONS);
  return { image, store: openStore({ folder, last, onFailure }) };
}

function initialState({ seed, now, clock }: Configuration): WorldState {
  return emptyState(seed, now ?? Date.now(), clock);
}

/** A world that was left goes on: a flowing clock with the wall's time, never backwards. */
export function resumedState<S extends Pick<WorldState, "turn" | "now" | "clock">>(
  state: S,
  { clock, now }: Configuration,
): S {
  if (state.turn === 0) return state;
  if (now !== null && now < state.now)
    throw new Refusal(
      422,
      "backwards",
      `--now ${formatInstant(now)} is before ${formatInstant(state.now)}, where this data stands; time only moves forward.`,
      "Leave it out, or use another --data folder.",
    );
  const wall = clock.mode === "flowing" ? Date.now() : state.now;
  return { ...state, clock, now: Math.max(state.now, now ?? wall) };
}

/** What a store writes down when its world is closed: nothing for a world that has ended before. */
export function lastStateOf(world: World, store: Store | undefined): WorldState | undefined {
  return store && !world.defect ? world.state() : undefined;
}
