import type { Configuration } from "../emulator/config/configuration.ts";
import type { RunningEmulator } from "../emulator/runtime/start.ts";
import { printError } from "./terminal.ts";

const UNTRIGGERED_FAULTS = 4;

/**
 * The exit code of an emulator's faults. Under `--strict` a fault that was armed and never triggered is an
 * error, and is named: the test that armed it has shown nothing.
 */
export function exitCodeOfFaults(running: RunningEmulator, { settings }: Configuration): number {
  const untriggered = settings.strict ? running.untriggeredFaults() : [];
  for (const { id, plane, match, then } of untriggered)
    printError(`fault ${id} never struck: ${JSON.stringify({ plane, match, then })}`);
  return untriggered.length > 0 ? UNTRIGGERED_FAULTS : 0;
}
