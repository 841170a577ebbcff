import { existsSync } from "node:fs";
import { validateHeaderValue } from "node:http";
import { parseExact } from "../contracts/spec/exact-json.ts";
import { type ControlClient, createControlClient } from "../emulator/client/control-client.ts";
import { requestJson, type Send } from "../emulator/client/send.ts";
import { sendOverHttp } from "../emulator/client/send-over-http.ts";
import { DEFAULT_API_KEY, DEFAULT_TENANT_ID } from "../emulator/client/values.ts";
import { AS_OF_HEADER } from "../emulator/http/as-of-choice.ts";
import { isAlive, type Locator, readLocator } from "../emulator/runtime/process/locator.ts";
import { type Invocation, Unreachable, UsageError } from "./command.ts";
import { configurationOf, locatorFolder } from "./configuration.ts";

const TIMEOUT_MS = 60_000;

/** The world that a command works on: its control API, and the API of the platform. */
export interface RunningWorld {
  readonly url: string;
  readonly client: ControlClient;
  /** Sends and reads JSON; throws `ErrorReply`. */
  api<T>(method: string, path: string, body?: unknown): Promise<T>;
}

/** Finds the running emulator; calls time out after `timeoutMs`. Throws `Unreachable`. */
export async function runningWorld(invocation: Invocation, timeoutMs?: number): Promise<RunningWorld> {
  return worldAt(await addressOf(invocation), timeoutMs, invocation.flags);
}

/** The same for a command that reads, as of the point that `--at` names. */
export async function readWorld(invocation: Invocation, timeoutMs = TIMEOUT_MS): Promise<RunningWorld> {
  const { at } = invocation.flags;
  const url = await addressOf(invocation);
  if (typeof at !== "string") return worldAt(url, timeoutMs, invocation.flags);
  const send = sendChecked(url, timeoutMs);
  const asOf = { [AS_OF_HEADER]: at };
  return worldThrough(url, invocation.flags, (path, init) =>
    send(path, { ...init, headers: { ...init.headers, ...asOf } }),
  );
}

async function addressOf(invocation: Invocation): Promise<string> {
  return (urlFlag(invocation) ?? (await requireLocator(invocation)).url) + basePathOf(invocation);
}

/** The world at an address; platform calls are made with the key and the workspace of the flags. */
export function worldAt(url: string, timeoutMs = TIMEOUT_MS, flags: Invocation["flags"] = {}): RunningWorld {
  return worldThrough(url, flags, sendChecked(url, timeoutMs));
}

function worldThrough(
  url: string,
  { "api-key": key = DEFAULT_API_KEY, "tenant-id": tenant = DEFAULT_TENANT_ID }: Invocation["flags"],
  send: Send,
): RunningWorld {
  const headers = { "x-api-key": String(key), "x-tenant-id": String(tenant) };
  return {
    url,
    client: createControlClient(send, parseExact),
    api: (method, path, body) => requestJson(send, { method, path, body, headers, parse: parseExact }),
  };
}

/** Whether the emulator at an address is ready. */
export async function isReady(url: string, timeoutMs: number): Promise<boolean> {
  const reply = await sendOverHttp(url, timeoutMs)("/readyz", { method: "GET", headers: {} }).catch(ifSilent);
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

/** Throws `Unreachable` when no emulator runs from the data folder of this invocation. */
export async function requireLocator(invocation: Invocation, advice?: string): Promise<Locator> {
  const locator = await findLocator(invocation);
  if (locator !== undefined) return locator;
  throw await notFound(invocation, "", advice);
}

export const FIND_ADVICE =
  "start one with `emulator start`, or give its address with --url or its data folder with --data";

/** The error that names the data folder in which no emulator was found. */
export async function notFound(invocation: Invocation, when: string, advice = FIND_ADVICE): Promise<Error> {
  const folder = locatorFolder(await configurationOf(invocation), invocation.cwd);
  const place = existsSync(folder) ? folder : `${folder}, which does not exist`;
  return new Unreachable(`no running emulator found${when} in ${place}; ${advice}`);
}

/** As `sendOverHttp`, but throws `UsageError` for a header that cannot be sent. */
export function sendChecked(url: string, timeoutMs: number): Send {
  const send = sendOverHttp(url, timeoutMs);
  return async (path, request) => {
    for (const [name, value] of Object.entries(request.headers)) requireSendable(name, value);
    return send(path, request);
  };
}

function requireSendable(name: string, value: string): void {
  try {
    validateHeaderValue(name, value);
  } catch {
    throw new UsageError(`the header ${name} cannot have the value ${JSON.stringify(value)}`);
  }
}
