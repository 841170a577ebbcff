import type { ControlClient } from "../../client/control-client.ts";
import type { AdvanceResult, AdvanceTarget } from "../../client/views.ts";
import type { EmulatorClock } from "./emulator.ts";

/** The clock stopped before its target: an effect did not end, or an export did not get the status. */
export class AdvanceUnfinished extends Error {
  override readonly name = "AdvanceUnfinished";
  /** The result up to that point. */
  readonly result: AdvanceResult;

  constructor(message: string, result: AdvanceResult) {
    super(message);
    this.result = result;
  }
}

/** The clock of a world, over the client of its control API. */
export function clockOf({ clock }: ControlClient, now: () => string): EmulatorClock {
  const advance = async (target: string | AdvanceTarget): Promise<AdvanceResult> => {
    const result = await clock.advance(target);
    const { settled, in_flight = [], to } = result;
    if (settled) return result;
    const names = in_flight.map(({ kind, ref }) => `${kind} ${ref}`).join(", ");
    const message = `The clock stopped at ${to}, where these effects are still in flight: ${names}. Advance again to continue.`;
    throw new AdvanceUnfinished(message, result);
  };
  return {
    now,
    freeze: async () => void (await clock.freeze()),
    flow: async (rate) => void (await clock.flow(rate)),
    advance,
    async advanceUntil(end, status) {
      const text = end instanceof Date ? end.toISOString() : end;
      const until = status === undefined ? text : `${text} ${status}`;
      const result = await clock.advance({ until });
      if (result.reached === false)
        throw new AdvanceUnfinished(`The clock did not get to "${until}": ${result.why}`, result);
      return result;
    },
  };
}
