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
  /** What was in flight from the start is to be done again. */
  restart(): void;
  /** Its result has been taken. */
  settle(number: number): void;
  list(): readonly EffectOf<Types>[];
  /** Resolves when none is in flight. */
  whenSettled(): Promise<void>;
  /** Wakes whoever waits for `settled` when nothing is left. */
  notifyIfIdle(): void;
  /** Drops all effects; their results are ignored. */
  discardAll(): void;
}

/** Initial effects of a world, and callbacks. */
export interface EffectQueueOptions<Types extends WorldTypes> {
  readonly inFlight: readonly EffectOf<Types>[];
  readonly runners: EffectRunners<Types>;
  /** Takes a result; called in the order asked for within a lane. */
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
  /** Delivers the result; absent until available. */
  deliver?: () => void;
}

/**
 * Effects that are `inFlight` from the start count as such and are not run again: `recover` settles them, or `restart`
 * asks for them once more.
 */
export function createEffectQueue<Types extends WorldTypes>({
  inFlight,
  runners,
  deliver,
  flush,
  fail,
}: EffectQueueOptions<Types>): EffectQueue<Types> {
  const running = new Map(inFlight.map((effect) => [effect.number, effect]));
  const lanes = new Map<string, PendingEffect[]>();
  const toStart: EffectOf<Types>[] = [];
  let idle: ReturnType<typeof withResolvers<void>> | undefined;

  /** A result that is early waits for those asked for before it. */
  function deliverInOrder(name: string, lane: PendingEffect[]): void {
    for (let head = lane[0]; head?.deliver && running.has(head.number); head = lane[0]) {
      lane.shift();
      if (lane.length === 0) lanes.delete(name);
      head.deliver();
    }
  }

  function start<Kind extends EffectKind<Types>>(effect: EffectOf<Types, Kind>): void {
    const pending: PendingEffect = { number: effect.number };
    const lane = lanes.get(effect.lane) ?? [];
    lanes.set(effect.lane, lane);
    lane.push(pending);
    flush();
    runners[effect.kind](effect)
      .then((result) => {
        pending.deliver = () => deliver(effect, result);
        deliverInOrder(effect.lane, lane);
      })
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
