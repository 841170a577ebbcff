import { type Commit, emptyState, type WorldState } from "../../emulator/kernel/commit.ts";
import type { EffectRunners } from "../../emulator/kernel/effect-queue.ts";
import { imageOf } from "../../emulator/kernel/image.ts";
import { collection } from "../../emulator/kernel/table.ts";
import { liveTimeline } from "../../emulator/kernel/timeline.ts";
import type { NoData } from "../../emulator/kernel/types.ts";
import { createWorld, type World } from "../../emulator/kernel/world.ts";
import type { EventReactions, ResultReactions, WorldParts } from "../../emulator/kernel/world-parts.ts";

/** A world that knows nothing but sheep: enough to see what a turn is. */
export interface Sheep {
  readonly id: string;
  readonly flock: string;
  readonly legs: number;
}

export const SHEEP = collection<Sheep>(
  "sheep",
  (sheep) => sheep.id,
  (sheep) => sheep.flock,
);

/** What can happen to sheep. */
export interface ToyTypes {
  readonly ports: undefined;
  readonly events: {
    readonly bleat: { readonly replyNumber?: number };
    readonly tick: NoData;
    readonly go: NoData;
    readonly other: NoData;
  };
  readonly effects: {
    readonly shear: { readonly data: { readonly nr?: number }; readonly result: object };
    readonly fetch: { readonly data: NoData; readonly result: object };
  };
}

export interface Toy {
  readonly world: World<ToyTypes>;
  readonly commits: Commit[];
}

export interface ToyParts {
  readonly state?: WorldState;
  readonly events?: Partial<EventReactions<ToyTypes>>;
  readonly results?: Partial<ResultReactions<ToyTypes>>;
  readonly effects?: Partial<EffectRunners<ToyTypes>>;
  readonly afterTurn?: WorldParts<ToyTypes>["afterTurn"];
}

export function toyState(now = 0): WorldState {
  return emptyState(7, now, { mode: "frozen", rate: 1 });
}

const nothing = () => undefined;
const never = () => new Promise<object>(nothing);

/** Events and results without a reaction of their own do nothing; effects without a runner never end. */
export function toyWorld({ state = toyState(), events, results, effects, afterTurn }: ToyParts = {}): Toy {
  const commits: Commit[] = [];
  const world = createWorld<ToyTypes>({
    ports: undefined,
    image: imageOf(state, [SHEEP]),
    events: { bleat: nothing, tick: nothing, go: nothing, other: nothing, ...events },
    results: { shear: nothing, fetch: nothing, ...results },
    effects: { shear: never, fetch: never, ...effects },
    flush: nothing,
    persist: (commit) => {
      // Through JSON, as a file would have it: what does not survive that is not kept.
      commits.push(JSON.parse(JSON.stringify(commit)));
    },
    timeline: liveTimeline(100, state.turn),
    ...(afterTurn && { afterTurn }),
  });
  return { world, commits };
}

export const REQUEST = { type: "request", name: "test" } as const;

/** A promise that is resolved by hand. */
export function gate<T>(): { readonly promise: Promise<T>; readonly open: (value: T) => void } {
  let open!: (value: T) => void;
  const promise = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
