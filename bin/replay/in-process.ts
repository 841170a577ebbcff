import type { Emulator } from "../../emulator/runtime/index.ts";
import {
  type Environment,
  EnvironmentError,
  type EnvironmentOptions,
  type Environments,
  refuseGone,
  replyOf,
} from "../../scenarios/environment.ts";
import { readParquet } from "./read-parquet.ts";

const DEFAULT_NOW = "2026-01-01T00:00:00Z";
/** How many idle emulators are kept for later scenarios with the same seed, instant and settings. */
const MAX_IDLE = 4;

/** An emulator with the scenarios playing in its worlds. */
interface SharedEmulator {
  readonly emulator: Promise<Emulator>;
  openWorlds: number;
  /** Worlds created so far: names are not reused, since a late request may still arrive. */
  createdWorlds: number;
}

/**
 * Worlds in this process. Scenarios with the same seed, instant and settings share an emulator, since all
 * its worlds start equal.
 */
export function openInProcess(): Environments {
  const sharedEmulators = createSharedEmulators();
  const killed = new Set<Promise<Environment>>();

  /** Those that are still open are closed with all others. */
  async function openKilled(setting: EnvironmentOptions, turn: number): Promise<Environment> {
    const opening = (await import("./killed.ts")).openKilled(setting, turn);
    killed.add(opening);
    const environment = await opening;
    const close = () => {
      killed.delete(opening);
      return environment.close();
    };
    return { ...environment, close };
  }

  return {
    async open(setting) {
      if (setting.killAfterTurn !== undefined) return openKilled(setting, setting.killAfterTurn);
      const shared = sharedEmulators.acquire(setting);
      const id = `scenario-${shared.createdWorlds}`;
      try {
        const emulator = await shared.emulator;
        const world = setting.isAlone ? emulator : await emulator.fork({ from: "seeded", id });
        return environmentOn(world, async () => {
          try {
            await world.close();
          } finally {
            await sharedEmulators.release(shared);
          }
        });
      } catch (error) {
        await sharedEmulators.release(shared);
        throw new EnvironmentError((error as Error).message);
      }
    },
    async close() {
      await sharedEmulators.close();
      for (const opening of killed) await (await opening.catch(() => undefined))?.close();
    },
  };
}

interface SharedEmulators {
  /** The emulator for a world with these settings. `release` it when the world is closed. */
  acquire(setting: EnvironmentOptions): SharedEmulator;
  /** Closes the least recently used idle emulators beyond `MAX_IDLE`. */
  release(shared: SharedEmulator): Promise<void>;
  close(): Promise<void>;
}

function createSharedEmulators(): SharedEmulators {
  /** Least recently used first. */
  const emulators = new Map<string, SharedEmulator>();
  let alone = 0;
  let isClosed = false;
  return {
    acquire(setting) {
      if (isClosed) throw new EnvironmentError("the replay was interrupted");
      const { seed, now = DEFAULT_NOW, settings, isAlone } = setting;
      if (isAlone) alone += 1;
      const key = JSON.stringify([seed, now, settings, isAlone && alone]);
      const shared = emulators.get(key) ?? {
        emulator: startShared(setting),
        openWorlds: 0,
        createdWorlds: 0,
      };
      emulators.delete(key);
      emulators.set(key, shared);
      shared.openWorlds += 1;
      shared.createdWorlds += 1;
      return shared;
    },
    async release(shared) {
      shared.openWorlds -= 1;
      const idle = [...emulators].filter(([, { openWorlds }]) => openWorlds === 0);
      const surplus = idle.slice(0, Math.max(0, idle.length - MAX_IDLE));
      for (const [key] of surplus) emulators.delete(key);
      await Promise.all(surplus.map(([, each]) => closeShared(each)));
    },
    async close() {
      isClosed = true;
      await Promise.all([...emulators.values()].map(closeShared));
      emulators.clear();
    },
  };
}

async function startShared({ seed, now = DEFAULT_NOW, settings }: EnvironmentOptions): Promise<Emulator> {
  const { startEmulator } = await import("../../emulator/runtime/index.ts");
  return startEmulator({ ...settings, clock: "frozen", now, ...(seed !== undefined && { seed }) });
}

/** An emulator that failed to start has nothing to close; its caller has received the error. */
async function closeShared({ emulator }: SharedEmulator): Promise<void> {
  await (await emulator.catch(() => undefined))?.close();
}

function environmentOn(world: Emulator, close: () => Promise<void>): Environment {
  return {
    url: world.url,
    euUrl: world.euUrl,
    s3Url: world.s3Url,
    seed: world.seed,
    async request({ region, method, path, headers, body }) {
      const init = { region, method, headers, ...(body !== undefined && { body }) };
      return refuseGone(await replyOf(await world.request(path, init)), world.world);
    },
    readParquet,
    close,
  };
}
