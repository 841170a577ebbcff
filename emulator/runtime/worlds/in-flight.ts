import { Refusal } from "../../kernel/refusal.ts";
import type { EffectKind } from "../../kernel/types.ts";
import type { EmulatorTypes, World } from "../../subjects/turn.ts";

/** A receiver of webhooks may itself wait for a run, so time must not wait for it. */
const NOT_WAITED_FOR: readonly EffectKind<EmulatorTypes>[] = ["webhook.post"];

/** Whether an effect is in flight that time waits for. */
export function isWaitedFor(world: World): boolean {
  return world.inFlight().some(({ kind }) => !NOT_WAITED_FOR.includes(kind));
}

/** True once effects have been in flight for too long on the wall clock. */
export async function isStalled(world: World, settlement: Promise<void>): Promise<boolean> {
  let giveUp: NodeJS.Timeout | undefined;
  const stalled = new Promise<boolean>((resolve) => {
    giveUp = setTimeout(() => resolve(true), world.ports.settings.timings.effect_patience_ms);
  });
  const result = await Promise.race([settlement.then(() => false), stalled]);
  clearTimeout(giveUp);
  return result;
}

/** Waits for the effects in flight. Throws a `Refusal` (409) when they take too long: a copy would never get their results. */
export async function waitUntilSettled(world: World): Promise<void> {
  if (await isStalled(world, world.whenSettled()))
    throw new Refusal(
      409,
      "in_flight",
      "An effect is still in flight. A copy of the world or a dry run starts when none is.",
      "Try again. GET /_emulator/v1/clock lists the effects under in_flight.",
    );
}
