import { type ControlClient, createControlClient } from "../../client/control-client.ts";
import type { AdvanceResult, AdvanceTarget, WorldAddresses } from "../../client/views.ts";
import { AS_OF_HEADER } from "../../http/as-of-choice.ts";
import { MAIN, WORLD_HEADER } from "../../http/world-choice.ts";
import { DEFAULT_API_KEY, DEFAULT_TENANT_ID } from "../../subjects/auth.ts";
import type { Calls } from "./calls.ts";
import type { Control } from "./control.ts";
import type { Emulator, EmulatorClock, EmulatorRequestInit, EmulatorSnapshots } from "./emulator.ts";

/** The clock stopped before its target: an effect did not end, or an export did not get the status. */
class AdvanceUnfinished extends Error {
  override readonly name = "AdvanceUnfinished";
  /** The result up to that point. */
  readonly result: AdvanceResult;

  constructor(message: string, result: AdvanceResult) {
    super(message);
    this.result = result;
  }
}

/** The clock of a world, over the client of its control API. */
function clockOf({ clock }: ControlClient, now: () => string): EmulatorClock {
  const advance = async (target: string | AdvanceTarget): Promise<AdvanceResult> => {
    const result = await clock.advance(target);
    const { settled, in_flight = [], to } = result;
    if (settled) return result;
    const names = in_flight.map(({ kind, ref }) => `${kind} ${ref}`).join(", ");
    const message = `The clock stopped at ${to}, where these effects are still in flight: ${names}. Advance again to continue.`;
    throw new AdvanceUnfinished(message, result);
  };
  return {
    now,
    freeze: async () => void (await clock.freeze()),
    flow: async (rate) => void (await clock.flow(rate)),
    advance,
    async advanceUntil(end, status) {
      const text = end instanceof Date ? end.toISOString() : end;
      const until = status === undefined ? text : `${text} ${status}`;
      const result = await clock.advance({ until });
      if (result.reached === false)
        throw new AdvanceUnfinished(`The clock did not get to "${until}": ${result.why}`, result);
      return result;
    },
  };
}

/** What an `Emulator` needs of its world, in this process or in another one. */
export interface WorldParts extends Pick<Emulator, "world" | "seed" | "fork" | "request"> {
  readonly addresses: WorldAddresses;
  readonly calls: Calls;
  /** Virtual time, ISO 8601. */
  now(): string;
  /** Requests an earlier state: a turn number or an instant. */
  requestAt(point: string): Emulator["request"];
  readonly close: Emulator["close"];
}

/** The object that programs use for a world. */
export function createEmulator(parts: WorldParts): Emulator {
  const { world, seed, addresses, calls, request, fork, close } = parts;
  const client = createControlClient(request);
  return calls.watch({
    world,
    url: addresses.url,
    euUrl: addresses.eu_url,
    s3Url: addresses.s3_url,
    seed,
    request,
    control: client.call as Control,
    fork,
    snapshots: snapshotsOf(client, request),
    clock: clockOf(client, parts.now),
    faults: { ...client.faults, clear: async (id) => void (await client.faults.clear(id)) },
    verifyExport: client.exports.verify,
    at(point) {
      const requestAsOf = parts.requestAt(String(point));
      const { call, exports } = createControlClient(requestAsOf);
      return calls.watch({
        world,
        request: requestAsOf,
        control: call as Control,
        verifyExport: exports.verify,
      });
    },
    reset: async (options) => void (await client.reset(options)),
    close,
    [Symbol.asyncDispose]: () => close(),
  });
}

function snapshotsOf({ snapshots }: ControlClient, request: Emulator["request"]): EmulatorSnapshots {
  return {
    ...snapshots,
    remove: async (name) => void (await snapshots.remove(name)),
    async export(name, file, options) {
      const { exportSnapshot, transportOver } = await snapshotFiles();
      await exportSnapshot(transportOver(request), name, file, options);
    },
    async import(file, options) {
      const { importSnapshot, transportOver } = await snapshotFiles();
      return importSnapshot(transportOver(request), file, options);
    },
  };
}

function snapshotFiles() {
  return import("./snapshot-files.ts");
}

/** The world, and the point in its history, that a request is for. */
interface Destination {
  readonly base: string;
  readonly world: string;
  readonly at?: string | undefined;
}

/** A request for a world, with the key and the workspace of a fresh world unless others are given. */
export function requestFor(
  { base, world, at }: Destination,
  target: string | URL | Request,
  { json, ...init }: Omit<EmulatorRequestInit, "region">,
): Request {
  const request = target instanceof Request ? new Request(target, init) : requestOf(target, base, json, init);
  if (world !== MAIN) request.headers.set(WORLD_HEADER, world);
  if (at !== undefined) request.headers.set(AS_OF_HEADER, at);
  return request;
}

function requestOf(target: string | URL, base: string, json: unknown, init: RequestInit): Request {
  const headers = new Headers(init.headers);
  if (!headers.has("x-api-key")) headers.set("x-api-key", DEFAULT_API_KEY);
  if (!headers.has("x-tenant-id")) headers.set("x-tenant-id", DEFAULT_TENANT_ID);
  if (json === undefined) return new Request(new URL(target, base), { ...init, headers });
  if (!headers.has("content-type")) headers.set("content-type", "application/json");
  return new Request(new URL(target, base), {
    ...init,
    method: init.method ?? "POST",
    headers,
    body: JSON.stringify(json),
  });
}
