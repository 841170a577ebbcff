import type { ControlClient } from "../../client/control-client.ts";
import type { AdvanceResult } from "../../client/views.ts";
import type { EmulatorClock } from "./emulator.ts";

/** The clock did not get to where it was to: effects hang, or an export never has the status. */
export class AdvanceUnfinished extends Error {
  override readonly name = "AdvanceUnfinished";
  /** How far it came. */
  readonly result: AdvanceResult;

  constructor(message: string, result: AdvanceResult) {
    super(message);
    this.result = result;
  }
}

/** The clock of a world, over the client of its control API. */
export function clockOf({ clock }: ControlClient, now: () => string): EmulatorClock {
  return {
    now,
    freeze: async () => void (await clock.freeze()),
    flow: async (rate) => void (await clock.flow(rate)),
    async advance(target) {
      const result = await clock.advance(target);
      const { settled, in_flight = [], to } = result;
      if (settled) return result;
      const names = in_flight.map(({ kind, ref }) => `${kind} ${ref}`).join(", ");
      const message = `the clock is at ${to} and still waits for ${names}; advance again to go on`;
      throw new AdvanceUnfinished(message, result);
    },
    async advanceUntil(exportId, status = "COMPLETED") {
      const result = await clock.advance({ until: { export: exportId, status } });
      if (result.reached === true) return result;
      throw new AdvanceUnfinished(`export ${exportId} did not become ${status}: ${result.why}`, result);
    },
  };
}
