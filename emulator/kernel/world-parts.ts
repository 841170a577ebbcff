import type { Commit } from "./commit.ts";
import type { EffectRunners } from "./effect-queue.ts";
import type { WorldImage } from "./image.ts";
import type { ReplacedRow } from "./table.ts";
import type { Timeline } from "./timeline.ts";
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
  /** Persists a commit durably, before any of its effects is visible outside. Throws for one that the world must not make. */
  readonly persist: (commit: Commit) => void;
  /** Makes all commits so far durable; called before an effect begins. */
  readonly flush: () => void;
  readonly timeline: Timeline;
  /**
   * Called after each turn that was not refused, when the world is consistent again; `isChange` when the kernel has persisted it,
   * `replacedRows` has the previous rows of the records that it changed.
   */
  readonly afterTurn?: (commit: Commit, isChange: boolean, replacedRows: readonly ReplacedRow[]) => void;
}
