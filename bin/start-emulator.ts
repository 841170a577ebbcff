import type { Configuration } from "../emulator/config/configuration.ts";
import type { LogOptions } from "../emulator/runtime/request-log.ts";
import { type ServingEmulator, serve } from "../emulator/runtime/start.ts";
import { orExplain } from "../emulator/runtime/start-problems.ts";

/** Starts the emulator of a command. Throws `StartProblem` (exit code 2) for problems that the user can fix. */
export async function startForCommand(
  configuration: Configuration,
  log?: LogOptions,
): Promise<ServingEmulator> {
  return orExplain(configuration, serve(configuration, log));
}
