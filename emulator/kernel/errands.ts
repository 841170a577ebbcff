import type { Effect } from "./commit.ts";
import { withResolvers } from "./deferred.ts";

/** JSON; only whoever asked knows its shape. */
export type EffectResult = object;

/** Carries out an effect; a trouble of the outside world is a result, never a rejection. */
export type EffectRunner = (effect: Effect) => Promise<EffectResult>;

/** The effects of a world that are in flight. */
export interface Errands {
  /** Takes note of an effect that is to be started. */
  add(effect: Effect): void;
  /** Starts the next one that was not started yet; false when there is none. */
  startNext(): boolean;
  /** Its result has been taken. */
  settle(number: number): void;
  list(): readonly Effect[];
  /** Resolves when none is in flight. */
  settled(): Promise<void>;
  /** Wakes whoever waits for `settled` when nothing is left. */
  announce(): void;
  /** Lets go of all of them: their results find nobody. */
  abandon(): void;
}

/** What the effects of a world begin with, and whom they report to. */
export interface ErrandParts {
  readonly inFlight: readonly Effect[];
  readonly runners: Readonly<Record<string, EffectRunner>>;
  /** Takes a result; called in the order asked for within a lane. */
  readonly deliver: (effect: Effect, result: EffectResult) => void;
  readonly fail: (error: unknown) => void;
}

interface Waiting {
  readonly effect: Effect;
  result?: EffectResult;
}

/** Effects that are `inFlight` from the start count as such and are not run again: `recover` settles them. */
export function createErrands({ inFlight, runners, deliver, fail }: ErrandParts): Errands {
  const flying = new Map(inFlight.map((effect) => [effect.number, effect]));
  const lanes = new Map<string, Waiting[]>();
  const toStart: Effect[] = [];
  let idle: ReturnType<typeof withResolvers<void>> | undefined;

  /** A result that is early waits for those asked for before it. */
  function handOut(name: string, lane: Waiting[]): void {
    for (let head = lane[0]; head?.result && flying.has(head.effect.number); head = lane[0]) {
      lane.shift();
      if (lane.length === 0) lanes.delete(name);
      deliver(head.effect, head.result);
    }
  }

  function start(effect: Effect): void {
    const runner = runners[effect.kind];
    if (!runner) throw new Error(`Nothing carries out ${effect.kind}.`);
    const waiting: Waiting = { effect };
    const lane = lanes.get(effect.lane) ?? [];
    lanes.set(effect.lane, lane);
    lane.push(waiting);
    runner(effect)
      .then((result) => {
        waiting.result = result;
        handOut(effect.lane, lane);
      })
      .catch(fail);
  }

  function announce(): void {
    if (flying.size > 0) return;
    idle?.resolve();
    idle = undefined;
  }

  return {
    add(effect) {
      flying.set(effect.number, effect);
      toStart.push(effect);
    },
    startNext() {
      const effect = toStart.shift();
      if (effect) start(effect);
      return effect !== undefined;
    },
    settle: (number) => void flying.delete(number),
    list: () => [...flying.values()],
    settled() {
      if (flying.size === 0) return Promise.resolve();
      idle ??= withResolvers<void>();
      return idle.promise;
    },
    announce,
    abandon() {
      flying.clear();
      toStart.length = 0;
      announce();
    },
  };
}
