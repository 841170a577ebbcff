import type { Effect } from "./commit.ts";
import { withResolvers } from "./deferred.ts";

/** JSON; only whoever asked knows its shape. */
export type EffectResult = object;

/** Carries out an effect; a trouble of the outside world is a result, never a rejection. */
export type EffectRunner = (effect: Effect) => Promise<EffectResult>;

/** The effects of a world that are in flight. */
export interface EffectQueue {
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
  notifyIfIdle(): void;
  /** Lets go of all of them: their results find nobody. */
  discardAll(): void;
}

/** What the effects of a world begin with, and whom they report to. */
export interface EffectQueueOptions {
  readonly inFlight: readonly Effect[];
  readonly runners: Readonly<Record<string, EffectRunner>>;
  /** Takes a result; called in the order asked for within a lane. */
  readonly deliver: (effect: Effect, result: EffectResult) => void;
  readonly fail: (error: unknown) => void;
}

interface PendingEffect {
  readonly effect: Effect;
  result?: EffectResult;
}

/** Effects that are `inFlight` from the start count as such and are not run again: `recover` settles them. */
export function createEffectQueue({ inFlight, runners, deliver, fail }: EffectQueueOptions): EffectQueue {
  const running = new Map(inFlight.map((effect) => [effect.number, effect]));
  const lanes = new Map<string, PendingEffect[]>();
  const toStart: Effect[] = [];
  let idle: ReturnType<typeof withResolvers<void>> | undefined;

  /** A result that is early waits for those asked for before it. */
  function deliverInOrder(name: string, lane: PendingEffect[]): void {
    for (let head = lane[0]; head?.result && running.has(head.effect.number); head = lane[0]) {
      lane.shift();
      if (lane.length === 0) lanes.delete(name);
      deliver(head.effect, head.result);
    }
  }

  function start(effect: Effect): void {
    const runner = runners[effect.kind];
    if (!runner) throw new Error(`Nothing carries out ${effect.kind}.`);
    const pending: PendingEffect = { effect };
    const lane = lanes.get(effect.lane) ?? [];
    lanes.set(effect.lane, lane);
    lane.push(pending);
    runner(effect)
      .then((result) => {
        pending.result = result;
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
    settle: (number) => void running.delete(number),
    list: () => [...running.values()],
    settled() {
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
