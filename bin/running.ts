import { type ControlClient, createControlClient } from "../emulator/client/control-client.ts";
import { sendTo } from "../emulator/client/send.ts";
import { isAlive, type Locator, readLocator } from "../emulator/storage/locator.ts";
import { CommandFailure, type Invocation, UsageError } from "./command.ts";
import { configurationOf, locatorFolder } from "./configuration.ts";

const TIMEOUT_MS = 60_000;

/** The world that a command is about, and its control API. */
export interface RunningWorld {
  readonly url: string;
  readonly client: ControlClient;
}

/** Finds the emulator that runs, or throws a `CommandFailure`; calls end after so many milliseconds. */
export async function runningWorld(invocation: Invocation, timeoutMs = TIMEOUT_MS): Promise<RunningWorld> {
  const url = (urlFlag(invocation) ?? (await requireLocator(invocation)).url) + basePathOf(invocation);
  return { url, client: clientAt(url, timeoutMs) };
}

/** The control API at an address. */
export function clientAt(url: string, timeoutMs = TIMEOUT_MS): ControlClient {
  return createControlClient(sendTo(url, timeoutMs));
}

/** Whether what runs at an address is ready to serve. */
export async function isReady(url: string, timeoutMs: number): Promise<boolean> {
  const reply = await sendTo(url, timeoutMs)("/readyz", { method: "GET", headers: {} }).catch(ifSilent);
  return reply?.status === 200;
}

/** Takes the error of an address at which nothing answers for no value. */
function ifSilent(error: Error): undefined {
  if (error.name !== "NoReply") throw error;
}

/** The address given, checked; undefined when none is. */
export function urlFlag({ flags }: Invocation): string | undefined {
  if (typeof flags.url !== "string") return undefined;
  const url = URL.canParse(flags.url) ? new URL(flags.url) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url.origin;
  throw new UsageError(`--url: "${flags.url}" is no address; give one such as http://127.0.0.1:4700`);
}

/** The locator in the data folder of this invocation; undefined when there is none or its process is gone. */
export async function findLocator(invocation: Invocation): Promise<Locator | undefined> {
  const locator = readLocator(locatorFolder(await configurationOf(invocation), invocation.cwd));
  return locator !== undefined && isAlive(locator) ? locator : undefined;
}

/** Empty when no world is named. */
export function basePathOf({ flags }: Invocation): string {
  return typeof flags.world === "string" ? `/w/${encodeURIComponent(flags.world)}` : "";
}

/** Throws a `CommandFailure` when no emulator runs from the data folder of this invocation. */
export async function requireLocator(invocation: Invocation): Promise<Locator> {
  const locator = await findLocator(invocation);
  if (locator !== undefined) return locator;
  throw new CommandFailure(
    "no running emulator found here; start one with `emulator start`, or name one with --url (or its folder with --data)",
  );
}
