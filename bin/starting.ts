import { afterStart } from "./after-start.ts";
import { command as exec } from "./commands/exec.ts";
import { command as start } from "./commands/start.ts";
import { runCommandLine } from "./main.ts";

/** Runs the command of a process that is to start an emulator; `onLoad` is called once all is loaded that it works with. */
export function runStarting(onLoad: () => void): Promise<void> {
  afterStart(onLoad);
  return runCommandLine({ start: async () => ({ command: start }), exec: async () => ({ command: exec }) });
}
