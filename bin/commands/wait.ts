import { setTimeout as pause } from "node:timers/promises";
import { parseDuration } from "../../emulator/kernel/duration.ts";
import { type Command, CommandFailure, type Invocation, UsageError, WORLD_FLAGS } from "../command.ts";
import { tryCall } from "../control-client.ts";
import { basePathOf, findLocator, urlFlag } from "../running.ts";
import { print } from "../terminal.ts";

const DEFAULT_TIMEOUT = "PT30S";
const POLL_MS = 100;
const PROBE_TIMEOUT_MS = 2_000;

export const command: Command = {
  summary: "wait until an emulator is ready to serve",
  operands: [],
  flags: {
    ...WORLD_FLAGS,
    timeout: { value: "<duration>", help: `how long to wait, ISO 8601 (default ${DEFAULT_TIMEOUT})` },
  },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { flags } = invocation;
  const timeout = String(flags.timeout ?? DEFAULT_TIMEOUT);
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs === undefined)
    throw new UsageError(`--timeout: "${timeout}" will not do; give a duration such as PT30S`);
  const timeoutFlag = urlFlag(invocation);
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    // An emulator that is just starting has not left its locator yet, so it is looked for each time.
    const url = timeoutFlag ?? (await findLocator(invocation))?.url;
    if (url !== undefined && (await isReady(url + basePathOf(invocation)))) return report(url, flags);
    if (performance.now() >= deadline)
      throw new CommandFailure(
        url === undefined
          ? `no emulator has left its locator here after ${timeout}; start one, or name one with --url`
          : `${url} is not ready after ${timeout}; look at its output`,
      );
    await pause(POLL_MS);
  }
}

async function isReady(url: string): Promise<boolean> {
  return (await tryCall(url, "/readyz", { timeoutMs: PROBE_TIMEOUT_MS }))?.status === 200;
}

function report(url: string, flags: Invocation["flags"]): number {
  if (flags.json === true) print(JSON.stringify({ ready: true, url }));
  else if (flags.quiet !== true) print(`${url} is ready`);
  return 0;
}
