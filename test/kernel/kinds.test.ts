import { expect, it } from "vitest";
import type { EffectRunners } from "../../emulator/kernel/effect-queue.ts";
import type { Turn } from "../../emulator/kernel/turn.ts";
import type { EventReactions, ResultReactions } from "../../emulator/kernel/world-parts.ts";
import type { ToyTypes } from "./toy-world.ts";

const nothing = () => undefined;
const BLEAT = { ref: "dolly", afterMs: 10 } as const;
const SHEAR = { ref: "dolly", lane: "x" } as const;

/** Never called: `tsc` checks each line, and reports a line that compiles after all. */
function requests(turn: Turn<ToyTypes>): void {
  turn.schedule({ kind: "bleat", ...BLEAT, data: { replyNumber: 1 } });
  turn.requestEffect({ kind: "shear", ...SHEAR, data: { nr: 1 } });
  // @ts-expect-error an event of no known kind
  turn.schedule({ kind: "moo", ...BLEAT, data: {} });
  // @ts-expect-error an event without its data
  turn.schedule({ kind: "bleat", ...BLEAT });
  // @ts-expect-error data of another type
  turn.schedule({ kind: "bleat", ...BLEAT, data: { replyNumber: "1" } });
  // @ts-expect-error data of another kind of event
  turn.schedule({ kind: "tick", ...BLEAT, data: { replyNumber: 1 } });
  // @ts-expect-error an event where an effect is asked for
  turn.requestEffect({ kind: "bleat", ...SHEAR, data: {} });
  // @ts-expect-error data of another type
  turn.requestEffect({ kind: "shear", ...SHEAR, data: { nr: "1" } });
}

/** Never called. */
function tables(reaction: EventReactions<ToyTypes>["bleat"], result: ResultReactions<ToyTypes>["shear"]) {
  // @ts-expect-error events without a reaction
  const events: EventReactions<ToyTypes> = { bleat: reaction };
  // @ts-expect-error a reaction to no known event
  const moos: Partial<EventReactions<ToyTypes>> = { moo: nothing };
  // @ts-expect-error an effect whose result nothing takes
  const results: ResultReactions<ToyTypes> = { shear: result };
  // @ts-expect-error effects that nothing carries out
  const effects: EffectRunners<ToyTypes> = {};
  // @ts-expect-error a runner that answers with no result
  const runners: Partial<EffectRunners<ToyTypes>> = { shear: async () => undefined };
  return [events, moos, results, effects, runners];
}

it("kinds, data, reactions and runners that do not fit do not compile", () => {
  expect([requests, tables]).toHaveLength(2);
});
