import type { Emulator } from "../emulator/runtime/index.ts";
import { answerOf, type Setting, type Stage, StageProblem, type Stages } from "./stage.ts";

const DEFAULT_NOW = "2026-01-01T00:00:00Z";
/** Emulators that nobody plays on are kept for scenarios of their kind, but not all of them for ever. */
const MAX_IDLE = 4;

/** An emulator with all that play in worlds of it. */
interface Host {
  readonly emulator: Promise<Emulator>;
  guests: number;
  /** How many worlds there have been: a name is not used again, since something may still come late. */
  worlds: number;
}

/**
 * Worlds in this process. Scenarios with the same seed, instant and settings share an emulator, since its
 * worlds all begin alike.
 */
export function openInProcess(): Stages {
  const hosts = new Map<string, Host>();
  let alone = 0;
  let isClosed = false;

  function enter(setting: Setting): Host {
    if (isClosed) throw new StageProblem("the replay was ended");
    const { seed, now = DEFAULT_NOW, settings, isAlone } = setting;
    if (isAlone) alone += 1;
    const key = JSON.stringify([seed, now, settings, isAlone && alone]);
    const host = hosts.get(key) ?? { emulator: started(setting), guests: 0, worlds: 0 };
    // The one that was used last comes last.
    hosts.delete(key);
    hosts.set(key, host);
    host.guests += 1;
    host.worlds += 1;
    return host;
  }

  async function leave(host: Host): Promise<void> {
    host.guests -= 1;
    const idle = [...hosts].filter(([, { guests }]) => guests === 0);
    const surplus = idle.slice(0, Math.max(0, idle.length - MAX_IDLE));
    for (const [key] of surplus) hosts.delete(key);
    await Promise.all(surplus.map(([, each]) => closed(each)));
  }

  return {
    async open(setting) {
      const host = enter(setting);
      const id = `scenario-${host.worlds}`;
      try {
        const emulator = await host.emulator;
        const world = setting.isAlone ? emulator : await emulator.fork({ from: "seeded", id });
        return stageOn(world, async () => {
          await world.close();
          await leave(host);
        });
      } catch (error) {
        await leave(host);
        throw new StageProblem((error as Error).message);
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...hosts.values()].map(closed));
      hosts.clear();
    },
  };
}

async function started({ seed, now = DEFAULT_NOW, settings }: Setting): Promise<Emulator> {
  const { startEmulator } = await import("../emulator/runtime/index.ts");
  return startEmulator({ ...settings, clock: "frozen", now, ...(seed !== undefined && { seed }) });
}

/** One that could not be started has nothing to close, and whoever asked for it was told. */
async function closed({ emulator }: Host): Promise<void> {
  await (await emulator.catch(() => undefined))?.close();
}

function stageOn(world: Emulator, close: () => Promise<void>): Stage {
  return {
    url: world.url,
    euUrl: world.euUrl,
    s3Url: world.s3Url,
    seed: world.seed,
    async request({ region, method, path, headers, body }) {
      const init = { region, method, headers, ...(body !== undefined && { body }) };
      return answerOf(await world.request(path, init));
    },
    close,
  };
}
