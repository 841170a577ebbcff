import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { isAlive, type Locator } from "../../emulator/runtime/process/locator.ts";
import { type Command, CommandFailure, type Invocation, TARGET_FLAGS } from "../command.ts";
import { requireLocator, urlFlag, worldAt } from "../running.ts";
import { printResult, withProgress } from "../terminal.ts";

const TIMEOUT_MS = 20_000;
const POLL_MS = 50;

export const command: Command = {
  summary: "save the state of a running emulator and stop it",
  operands: [],
  flags: TARGET_FLAGS,
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const url = urlFlag(invocation);
  const locator = await requireLocator(invocation, "give the data folder of the emulator with --data");
  await proveIdentity(locator, url);
  process.kill(locator.pid, "SIGTERM");
  const { pid } = locator;
  const waiting = `waiting for process ${pid} to save its state`;
  await withProgress(invocation, waiting, untilEnded(locator), `process ${pid} still ends by itself`);
  const stopped = { stopped: true, url: locator.url, pid };
  printResult(invocation, stopped, [`${locator.url} (process ${pid}) has stopped`]);
  return 0;
}

/** Throws `CommandFailure` when it takes too long. */
async function untilEnded(locator: Locator): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (isAlive(locator)) {
    if (performance.now() >= deadline)
      throw new CommandFailure(
        `process ${locator.pid} has not stopped after ${TIMEOUT_MS / 1000} s; end it with \`kill -9 ${locator.pid}\``,
      );
    await pause(POLL_MS);
  }
}

/** The system may have reused a pid: only a process that answers as this emulator is signalled. */
async function proveIdentity(locator: Locator, url: string | undefined): Promise<void> {
  const fix = "stop it where it runs, with SIGTERM";
  if (locator.hostname !== hostname())
    throw new CommandFailure(`${locator.url} runs on ${locator.hostname}; ${fix}`);
  if (url !== undefined && url !== locator.url)
    throw new CommandFailure(
      `${url} is not the emulator of this folder (${locator.url}); ${fix}, or name its folder with --data`,
    );
  const { pid } = await worldAt(locator.url).client.status();
  if (pid !== locator.pid)
    throw new CommandFailure(`${locator.url} answers as process ${pid}, not ${locator.pid}; ${fix}`);
}
