import type { Commit } from "./commit.ts";
import type { EffectRunners } from "./effect-queue.ts";
import type { WorldImage } from "./image.ts";
import type { Turn } from "./turn.ts";
import type { EffectKind, EffectOf, EventKind, EventOf, ResultOf, WorldTypes } from "./types.ts";

/** What an event leads to, by kind; a reaction drops what its world no longer expects. */
export type EventReactions<Types extends WorldTypes> = {
  readonly [Kind in EventKind<Types>]: (turn: Turn<Types>, event: EventOf<Types, Kind>) => void;
};

/** What the result of an effect leads to, by the kind of the effect. */
export type ResultReactions<Types extends WorldTypes> = {
  readonly [Kind in EffectKind<Types>]: (
    turn: Turn<Types>,
    effect: EffectOf<Types, Kind>,
    result: ResultOf<Types, Kind>,
  ) => void;
};

/** What a world is made of: its state, its rules, and its ways to the outside. */
export interface WorldParts<Types extends WorldTypes> {
  /** What it begins with; an image may serve many worlds. */
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
}
