import { faultView, untriggeredFaults } from "../../subjects/faults/rules.ts";
import type { NamedWorld } from "../worlds/open-worlds.ts";
import { type Calls, placeOf } from "./calls.ts";
import type { CloseOptions } from "./emulator.ts";

/** An error for each fault that these calls armed in a world and that was never triggered. */
export function unusedFaultsIn(named: NamedWorld | undefined, calls: Calls): readonly Error[] {
  if (!named) return [];
  const { reader, now } = named.runtime.world;
  return untriggeredFaults(reader)
    .filter(calls.hasArmed)
    .map((rule) => calls.unusedFault(faultView(rule, now)));
}

/** Reports unused faults as warnings of the process, or throws them as errors. */
export function reportUnused(errors: readonly Error[], as: NonNullable<CloseOptions["unusedFaults"]>): void {
  if (as === "ignore" || errors.length === 0) return;
  if (as === "warn") {
    for (const error of errors) {
      const place = placeOf(error);
      const where = place === undefined ? "" : ` It was armed at ${place}.`;
      process.emitWarning(`${error.message}${where}`, { type: "EmulatorWarning", code: "UNUSED_FAULT" });
    }
    return;
  }
  const [first] = errors;
  throw errors.length === 1
    ? first
    : new AggregateError(errors, errors.map(({ message }) => message).join("\n"));
}
