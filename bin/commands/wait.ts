import { setTimeout as pause } from "node:timers/promises";
import { type Command, type Invocation, Unreachable, WORLD_FLAGS } from "../command.ts";
import { basePathOf, FIND_ADVICE, findLocator, isReady, notFound, urlFlag } from "../running.ts";
import { printResult, withProgress } from "../terminal.ts";
import { readDurationMs } from "../values.ts";

const DEFAULT_TIMEOUT = "30s";
const POLL_MS = 100;
const PROBE_TIMEOUT_MS = 2_000;

export const command: Command = {
  summary: "wait until an emulator is ready to serve",
  operands: [],
  flags: {
    ...WORLD_FLAGS,
    timeout: { value: "<duration>", help: `how long to wait (default ${DEFAULT_TIMEOUT})` },
  },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const timeout = String(invocation.flags.timeout ?? DEFAULT_TIMEOUT);
  const timeoutMs = readDurationMs(timeout, "--timeout");
  const urlInFlag = urlFlag(invocation);
  const waiting = untilReady(invocation, urlInFlag, { timeout, timeoutMs });
  const label = urlInFlag ?? "an emulator";
  const url = await withProgress(invocation, `waiting for ${label}`, waiting, `${label} was not ready yet`);
  printResult(invocation, { ready: true, url }, [`${url} is ready`]);
  return 0;
}

interface TimeLimit {
  /** The text of the flag. */
  readonly timeout: string;
  readonly timeoutMs: number;
}

/** Resolves with the address once it is ready. Throws `Unreachable` after the timeout. */
async function untilReady(
  invocation: Invocation,
  urlInFlag: string | undefined,
  { timeout, timeoutMs }: TimeLimit,
): Promise<string> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    // A starting emulator has not written its locator file yet, so it is looked up each time.
    const url = urlInFlag ?? (await findLocator(invocation))?.url;
    if (url !== undefined && (await isReady(url + basePathOf(invocation), PROBE_TIMEOUT_MS))) return url;
    if (performance.now() >= deadline)
      throw url === undefined
        ? await notFound(invocation, ` after ${timeout}`, `give a longer --timeout, ${FIND_ADVICE}`)
        : new Unreachable(
            `${url} is not ready after ${timeout}; check the address, give a longer --timeout, or, after \`emulator start --detach\`, see \`emulator logs --output\``,
          );
    await pause(POLL_MS);
  }
}
