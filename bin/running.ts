import type { ReadyLine } from "../emulator/config/configuration.ts";
import { isAlive, type Locator, readLocator } from "../emulator/storage/locator.ts";
import { CommandFailure, type Invocation, UsageError } from "./command.ts";
import { configurationOf, locatorFolder } from "./configuration.ts";
import { callControl } from "./control-client.ts";

/** What `GET /_emulator/v1/status` answers with, at the least. */
export interface Status extends Omit<ReadyLine, "ready"> {
  readonly [fact: string]: unknown;
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

/** The address of the emulator that a command is about, and below it that of the world when one is named. */
export async function targetUrl(invocation: Invocation): Promise<string> {
  return (urlFlag(invocation) ?? (await requireLocator(invocation)).url) + basePathOf(invocation);
}

/** Empty when no world is named. */
export function basePathOf({ flags }: Invocation): string {
  return typeof flags.world === "string" ? `/w/${encodeURIComponent(flags.world)}` : "";
}

/** Throws a `CommandFailure` when nothing answers there. */
export async function statusOf(url: string): Promise<Status> {
  return callControl<Status>(url, "/_emulator/v1/status");
}

/** Throws a `CommandFailure` when no emulator runs from the data folder of this invocation. */
export async function requireLocator(invocation: Invocation): Promise<Locator> {
  const locator = await findLocator(invocation);
  if (locator !== undefined) return locator;
  throw new CommandFailure(
    "no running emulator found here; start one with `emulator start`, or name one with --url (or its folder with --data)",
  );
}
