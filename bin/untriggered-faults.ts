import type { Configuration } from "../emulator/config/configuration.ts";
import type { ServingEmulator } from "../emulator/runtime/start.ts";
import { printError } from "./terminal.ts";

const UNTRIGGERED_FAULTS = 4;

/**
 * The exit code for an emulator's faults. Under `--strict` a fault that was armed and never triggered is an
 * error and is printed, since the test that armed it proved nothing.
 */
export function exitCodeOfFaults(running: ServingEmulator, { settings }: Configuration): number {
  const untriggered = settings.strict ? running.untriggeredFaults() : [];
  for (const { id, target, match, then } of untriggered)
    printError(`fault ${id} was never triggered: ${JSON.stringify({ target, match, then })}`);
  return untriggered.length > 0 ? UNTRIGGERED_FAULTS : 0;
}
