import { type Commit, emptyState, type WorldState } from "../../emulator/kernel/commit.ts";
import { imageOf } from "../../emulator/kernel/image.ts";
import { collection } from "../../emulator/kernel/table.ts";
import { createWorld, type EffectRunner, type Reaction, type World } from "../../emulator/kernel/world.ts";

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

export interface Toy {
  readonly world: World<undefined>;
  readonly commits: Commit[];
}

export interface ToyParts {
  readonly state?: WorldState;
  readonly reactions?: Readonly<Record<string, Reaction<undefined>>>;
  readonly effects?: Readonly<Record<string, EffectRunner>>;
}

export function toyState(now = 0): WorldState {
  return emptyState(7, now, { mode: "frozen", rate: 1 });
}

export function toyWorld({ state = toyState(), reactions = {}, effects = {} }: ToyParts = {}): Toy {
  const commits: Commit[] = [];
  const world = createWorld<undefined>({
    ports: undefined,
    image: imageOf(state, [SHEEP] as never),
    reactions,
    effects,
    persist: (commit) => {
      // Through JSON, as a file would have it: what does not survive that is not kept.
      commits.push(JSON.parse(JSON.stringify(commit)));
    },
    journalCapacity: 100,
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
