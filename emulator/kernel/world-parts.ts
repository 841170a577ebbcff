import type { Commit } from "./commit.ts";
import type { EffectRunners } from "./effect-queue.ts";
import type { WorldImage } from "./image.ts";
import type { Kept } from "./journal.ts";
import type { Replaced } from "./table.ts";
import type { Turn } from "./turn.ts";
import type { EffectKind, EffectOf, EventKind, EventOf, ResultOf, WorldTypes } from "./types.ts";

/** Reactions to events, by kind; a reaction ignores stale events. */
export type EventReactions<Types extends WorldTypes> = {
  readonly [Kind in EventKind<Types>]: (turn: Turn<Types>, event: EventOf<Types, Kind>) => void;
};

/** Reactions to the results of effects, by kind. */
export type ResultReactions<Types extends WorldTypes> = {
  readonly [Kind in EffectKind<Types>]: (
    turn: Turn<Types>,
    effect: EffectOf<Types, Kind>,
    result: ResultOf<Types, Kind>,
  ) => void;
};

/** The parts of a world: its state, its rules, and its ports. */
export interface WorldParts<Types extends WorldTypes> {
  /** The initial state; an image may be used for many worlds. */
  readonly image: WorldImage;
  readonly ports: Types["ports"];
  readonly events: EventReactions<Types>;
  readonly results: ResultReactions<Types>;
  readonly effects: EffectRunners<Types>;
  /** Keeps a commit, durably, before anything of it is seen outside. */
  readonly persist: (commit: Commit) => void;
  /** Makes all commits so far durable; called before an effect begins. */
  readonly flush: () => void;
  readonly journalCapacity: number;
  /**
   * Called after each turn that was not refused, when the world is whole again; `isChange` when it was persisted,
   * `replaced` with the records that it changed as they were before.
   */
  readonly passed?: (commit: Commit, isChange: boolean, replaced: readonly Replaced[]) => void;
  /** A world of the past, with the turns up to then: its turns may read, and are not kept. */
  readonly past?: readonly Kept[];
}
