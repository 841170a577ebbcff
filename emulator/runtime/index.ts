import { RATE_REGIONS } from "../../contracts/spec/rate-limits/rows.ts";
import { createControlClient } from "../client/control-client.ts";
import type { WorldAddresses } from "../client/views.ts";
import type { Configuration } from "../config/configuration.ts";
import { resolveConfiguration } from "../config/resolve.ts";
import { MAIN } from "../http/world-choice.ts";
import { formatInstant } from "../kernel/instant.ts";
import type { World } from "../subjects/turn.ts";
import { type Calls, createCalls, EmulatorClosed, reportUnused, unusedFaultsIn } from "./library/calls.ts";
import type { CloseOptions, Emulator, ForkOptions } from "./library/emulator.ts";
import { answerInProcess } from "./library/fetch.ts";
import type { EmulatorOptions } from "./library/options.ts";
import { createEmulator, requestFor } from "./library/world.ts";
import { type RunningEmulator, start } from "./start.ts";
import { orExplain } from "./start-problems.ts";

export type { FaultOrder, FaultView } from "../client/faults.ts";
export type { AdvanceResult, AdvanceTarget } from "../client/views.ts";
export type { ReadyLine } from "../config/configuration.ts";
export type { Verification } from "../subjects/control-operation.ts";
export type { Control } from "./library/control.ts";
export type {
  CloseOptions,
  Emulator,
  EmulatorClock,
  EmulatorFaults,
  EmulatorRequestInit,
  EmulatorSnapshots,
  ForkOptions,
  Snapshot,
  WorldAsOf,
} from "./library/emulator.ts";
export type { EmulatorOptions } from "./library/options.ts";
export type { SnapshotExportOptions, SnapshotImportOptions } from "./library/snapshot-files.ts";

/**
 * Starts an emulator in this process; rejects with every problem of the options, and with what keeps it from starting.
 *
 * @example
 * const emulator = await startEmulator({ clock: "frozen", now: "2026-01-01T00:00:00Z" });
 * const reply = await fetch(`${emulator.url}/ok`);
 * await emulator.close();
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const defaults = { port: 0, ephemeral: options.data === undefined, rateLimits: "off" };
  const resolution = await resolveConfiguration({ cwd: process.cwd(), options: { ...defaults, ...options } });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  const running = await orExplain(resolution.configuration, start(resolution.configuration));
  let isOpen = true;
  const { configuration } = resolution;
  const emulating = { running, configuration, calls: new Map(), isOpen: () => isOpen };
  return emulatorOf(emulating, MAIN, running.ready, () => {
    isOpen = false;
    return running.close();
  });
}

interface Process {
  readonly running: RunningEmulator;
  readonly configuration: Configuration;
  /** Those on its worlds that are open, by the names of the worlds. */
  readonly calls: Map<string, Calls>;
  /** False as soon as it is being closed: its folder is let go of, and may be another's. */
  isOpen(): boolean;
}

function emulatorOf(
  process: Process,
  world: string,
  addresses: WorldAddresses,
  end: () => Promise<unknown>,
): Emulator {
  const { running } = process;
  let closing: Promise<void> | undefined;
  const isClosed = () => closing !== undefined || !process.isOpen();
  const request = requesterOf(process, world, { isClosed });
  const client = createControlClient(request);
  const calls = createCalls(isClosed);
  process.calls.set(world, calls);
  function close({ unusedFaults }: CloseOptions = {}): Promise<void> {
    if (closing) return closing;
    const ending = world === MAIN ? [...process.calls] : [[world, calls] as const];
    const unused = ending.flatMap(([id, those]) => unusedFaultsIn(running.world(id), those));
    for (const [id] of ending) process.calls.delete(id);
    closing = end().then(() => undefined);
    const { strict } = process.configuration.settings;
    return closing.then(() => reportUnused(unused, unusedFaults ?? (strict ? "error" : "warn")));
  }

  async function fork(options: ForkOptions = {}): Promise<Emulator> {
    const createdWorld = await client.worlds.create({ ...options, from: options.from ?? world });
    const isThere = () => process.isOpen() && running.world(createdWorld.id) !== undefined;
    // This world may be closed before.
    const main = createControlClient(requesterOf(process, MAIN));
    const remove = async () => isThere() && main.worlds.remove(createdWorld.id);
    return emulatorOf(process, createdWorld.id, createdWorld, remove);
  }

  return createEmulator({
    world,
    addresses,
    seed: running.ready.seed,
    calls,
    request,
    requestAt: (at) => requesterOf(process, world, { isClosed, at }),
    now: () => formatInstant(worldOf(process, world).now),
    fork,
    close,
  });
}

function checkOpen({ isOpen }: Process): void {
  if (!isOpen()) throw new EmulatorClosed("The emulator was closed; startEmulator() gives another.");
}

function worldOf(process: Process, id: string): World {
  checkOpen(process);
  const openWorld = process.running.world(id);
  if (!openWorld) throw worldClosed(id);
  // A flowing world moves when it is looked at.
  openWorld.runtime.clock.sync();
  return openWorld.runtime.world;
}

function worldClosed(id: string): EmulatorClosed {
  return new EmulatorClosed(`The world ${id} was closed; fork() gives another.`);
}

interface RequesterOptions {
  readonly isClosed?: () => boolean;
  readonly at?: string;
}

function requesterOf(
  process: Process,
  world: string,
  { isClosed, at }: RequesterOptions = {},
): Emulator["request"] {
  const { running } = process;
  const { url, eu_url } = running.ready;
  const { settings } = process.configuration;
  return async (target, { region, ...init } = {}) => {
    checkOpen(process);
    if (isClosed?.()) throw worldClosed(world);
    if (region !== undefined && !RATE_REGIONS.includes(region))
      throw new Error(`region: ${JSON.stringify(region)} is neither us nor eu`);
    const fetchRequest = requestFor({ base: url, world, at }, target, init);
    return answerInProcess(
      {
        region: region ?? (fetchRequest.url.startsWith(`${eu_url}/`) ? "eu" : "us"),
        maxBodyBytes: settings.limits.body_bytes,
        handle: running.handle,
      },
      fetchRequest,
    );
  };
}
