import { withResolvers } from "./deferred.ts";
import type { EffectKind, EffectOf, WorldTypes } from "./types.ts";

/** Runs an effect; an external failure is a result, never a rejection. */
export type EffectRunner<Types extends WorldTypes, Kind extends EffectKind<Types>> = (
  effect: EffectOf<Types, Kind>,
) => Promise<Types["effects"][Kind]["result"]>;

/** One runner for each kind of effect: a kind without one does not compile. */
export type EffectRunners<Types extends WorldTypes> = {
  readonly [Kind in EffectKind<Types>]: EffectRunner<Types, Kind>;
};

/** The effects of a world that are in flight. */
export interface EffectQueue<Types extends WorldTypes> {
  /** Adds an effect to be started. */
  add(effect: EffectOf<Types>): void;
  /** Starts the next pending effect; false when there is none. */
  startNext(): boolean;
  /** Runs the effects again that were in flight from the start. */
  restart(): void;
  /** Removes an effect whose result was delivered. */
  settle(number: number): void;
  list(): readonly EffectOf<Types>[];
  /** Resolves when no effect is in flight. */
  whenSettled(): Promise<void>;
  /** Resolves `whenSettled` if no effect is in flight. */
  notifyIfIdle(): void;
  /** Drops all effects; their results are ignored. */
  discardAll(): void;
}

/** Initial effects of a world, and callbacks. */
export interface EffectQueueOptions<Types extends WorldTypes> {
  readonly inFlight: readonly EffectOf<Types>[];
  readonly runners: EffectRunners<Types>;
  /** Receives results, in the order of the requests within a lane. */
  readonly deliver: <Kind extends EffectKind<Types>>(
    effect: EffectOf<Types, Kind>,
    result: Types["effects"][Kind]["result"],
  ) => void;
  /** Called before an effect begins. */
  readonly flush: () => void;
  readonly fail: (error: unknown) => void;
}

interface PendingEffect {
  readonly number: number;
  /** Delivers the result; undefined until the effect has ended. */
  deliver?: () => void;
}

/** Orders results: those of one lane are delivered in the order in which their effects were requested. */
function createLanes(isRunning: (number: number) => boolean) {
  const lanes = new Map<string, PendingEffect[]>();
  return {
    /** Adds an effect to its lane; the returned function delivers its result when its predecessors have theirs. */
    enter(name: string, number: number): (deliver: () => void) => void {
      const pending: PendingEffect = { number };
      const lane = lanes.get(name) ?? [];
      lanes.set(name, lane);
      lane.push(pending);
      return (deliver) => {
        pending.deliver = deliver;
        for (let first = lane[0]; first?.deliver && isRunning(first.number); first = lane[0]) {
          lane.shift();
          if (lane.length === 0) lanes.delete(name);
          first.deliver();
        }
      };
    },
  };
}

/**
 * Effects that are `inFlight` from the start are listed, but not run: either `recover` of the world settles them, or
 * `restart` runs them again.
 */
export function createEffectQueue<Types extends WorldTypes>({
  inFlight,
  runners,
  deliver,
  flush,
  fail,
}: EffectQueueOptions<Types>): EffectQueue<Types> {
  const running = new Map(inFlight.map((effect) => [effect.number, effect]));
  const lanes = createLanes((number) => running.has(number));
  const toStart: EffectOf<Types>[] = [];
  let idle: ReturnType<typeof withResolvers<void>> | undefined;

  function start<Kind extends EffectKind<Types>>(effect: EffectOf<Types, Kind>): void {
    const deliverInOrder = lanes.enter(effect.lane, effect.number);
    flush();
    runners[effect.kind](effect)
      .then((result) => deliverInOrder(() => deliver(effect, result)))
      .catch(fail);
  }

  function notifyIfIdle(): void {
    if (running.size > 0) return;
    idle?.resolve();
    idle = undefined;
  }

  return {
    add(effect) {
      running.set(effect.number, effect);
      toStart.push(effect);
    },
    startNext() {
      const effect = toStart.shift();
      if (effect) start(effect);
      return effect !== undefined;
    },
    restart: () => void toStart.push(...running.values()),
    settle: (number) => void running.delete(number),
    list: () => [...running.values()],
    whenSettled() {
      if (running.size === 0) return Promise.resolve();
      idle ??= withResolvers<void>();
      return idle.promise;
    },
    notifyIfIdle,
    discardAll() {
      running.clear();
      toStart.length = 0;
      notifyIfIdle();
    },
  };
}
