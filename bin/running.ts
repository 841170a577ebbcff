import { type ControlClient, createControlClient } from "../emulator/client/control-client.ts";
import { sendTo } from "../emulator/client/send.ts";
import { isAlive, type Locator, readLocator } from "../emulator/storage/locator.ts";
import { CommandFailure, type Invocation, UsageError } from "./command.ts";
import { configurationOf, locatorFolder } from "./configuration.ts";

const TIMEOUT_MS = 60_000;

/** The world that a command works on, and its control API. */
export interface RunningWorld {
  readonly url: string;
  readonly client: ControlClient;
}

/** Finds the running emulator; calls time out after `timeoutMs`. Throws `CommandFailure`. */
export async function runningWorld(invocation: Invocation, timeoutMs = TIMEOUT_MS): Promise<RunningWorld> {
  const url = (urlFlag(invocation) ?? (await requireLocator(invocation)).url) + basePathOf(invocation);
  return { url, client: clientAt(url, timeoutMs) };
}

/** The control API at an address. */
export function clientAt(url: string, timeoutMs = TIMEOUT_MS): ControlClient {
  return createControlClient(sendTo(url, timeoutMs));
}

/** Whether the emulator at an address is ready. */
export async function isReady(url: string, timeoutMs: number): Promise<boolean> {
  const reply = await sendTo(url, timeoutMs)("/readyz", { method: "GET", headers: {} }).catch(ifSilent);
  return reply?.status === 200;
}

/** Turns `NoReply` into undefined. */
function ifSilent(error: Error): undefined {
  if (error.name !== "NoReply") throw error;
}

/** The address in --url; undefined when absent. Throws `UsageError`. */
export function urlFlag({ flags }: Invocation): string | undefined {
  if (typeof flags.url !== "string") return undefined;
  const url = URL.canParse(flags.url) ? new URL(flags.url) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url.origin;
  throw new UsageError(`--url: "${flags.url}" is not an address; give one such as http://127.0.0.1:4700`);
}

/** The locator in the data folder of this invocation; undefined when there is none or its process is gone. */
export async function findLocator(invocation: Invocation): Promise<Locator | undefined> {
  const locator = readLocator(locatorFolder(await configurationOf(invocation), invocation.cwd));
  return locator !== undefined && isAlive(locator) ? locator : undefined;
}

/** Base path of the named world; empty when none is named. */
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
