import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { isMembers } from "../engine/json.ts";
import { type CaseSettings, NEEDS, type Need } from "../engine/needs.ts";
import type { Identity, Session, Target } from "../engine/target.ts";
import { openObjectStore } from "./object-store.ts";
import { REACH } from "./reach.ts";
import { createSender, type Sender } from "./send.ts";
import { control } from "./test-world.ts";

/** A started emulator. */
export interface StartedEmulator {
  readonly url: string;
  readonly euUrl: string;
  readonly s3Url: string;
  close(): Promise<void>;
}

export type StartEmulator = (settings: CaseSettings) => Promise<StartedEmulator>;

/** Identity and bucket of a fresh emulator. */
const EMULATOR_IDENTITY: Identity = {
  apiKey: "contract-harness-key",
  tenantId: "00000000-0000-4000-8000-000000000001",
  bucket: {
    name: "traces",
    region: "us-east-1",
    endpointUrl: null,
    accessKeyId: "emulator",
    secretAccessKey: "emulator-secret",
  },
};

export const CASE_START = "2026-03-02T00:00:00Z";

const WIDTH = 4;

/** A started emulator with its clients. */
interface PooledEmulator {
  readonly emulator: StartedEmulator;
  /** Its data folder, which goes with it; most cases keep nothing in it. */
  readonly folder: string;
  readonly objects: ReturnType<typeof openObjectStore>;
  readonly sender: Sender;
}

/**
 * A fresh emulator in this process for each case: one of the same settings that is reset, or a new one.
 * `start` is a parameter, since contracts must not import the emulator.
 *
 * @example
 * const target = createEmulatorTarget(startEmulator);
 */
export function createEmulatorTarget(start: StartEmulator, more: CaseSettings = {}): Target {
  const idle = new Map<string, PooledEmulator[]>();

  async function open({ environment = {}, ...settings }: CaseSettings): Promise<Session> {
    const options = { clock: "frozen", now: CASE_START, ephemeral: true, ...merged(settings, more) };
    const key = JSON.stringify(options);
    const restore = await withEnvironment(environment as Readonly<Record<string, string>>);
    try {
      const pooled = idle.get(key)?.pop() ?? (await startFresh(start, options));
      return sessionOf(pooled, async () => {
        restore();
        if (await reset(pooled)) idle.set(key, [...(idle.get(key) ?? []), pooled]);
        else await end(pooled);
      });
    } catch (error) {
      restore();
      throw error;
    }
  }

  return {
    name: "emulator, in this process",
    temporaryServer: "an emulator in this process",
    offers: new Set(Object.keys(NEEDS) as Need[]),
    width: WIDTH,
    now: REACH.now,
    open: (settings = {}) => open(settings),
    async close() {
      const all = [...idle.values()].flat();
      idle.clear();
      await Promise.all(all.map(end));
    },
  };
}

async function startFresh(start: StartEmulator, options: CaseSettings): Promise<PooledEmulator> {
  // If this process is killed, a later emulator removes folders with such names.
  const folder = await mkdtemp(join(tmpdir(), `emulator-${process.pid}-${hostname()}-`));
  try {
    const emulator = await start({ data: folder, ...options });
    const sender = createSender({ us: emulator.url, eu: emulator.euUrl });
    return { emulator, folder, objects: openObjectStore(emulator.s3Url, EMULATOR_IDENTITY.bucket), sender };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function textIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map((entry) => readFile(join(entry.parentPath, entry.name), "latin1"));
  return (await Promise.all(texts)).join("\n");
}

/** Resets an emulator; false when it could not, for instance after a defect. */
async function reset({ sender: { send } }: PooledEmulator): Promise<boolean> {
  return send(control("POST", "/reset", {})).then(
    ({ status }) => status === 200,
    () => false,
  );
}

async function end({ emulator, folder, objects, sender }: PooledEmulator): Promise<void> {
  objects.close();
  sender.close();
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
}

/** The end of the last session that sets a variable: sessions that set the same ones follow each other. */
const variablesFree = new Map<string, Promise<unknown>>();

/** Sets environment variables; the returned function restores them. */
async function withEnvironment(environment: Readonly<Record<string, string>>): Promise<() => void> {
  const names = Object.keys(environment);
  const earlier = names.map((name) => variablesFree.get(name));
  let end = () => {};
  const released = new Promise<void>((resolve) => {
    end = resolve;
  });
  for (const name of names) variablesFree.set(name, released);
  await Promise.all(earlier);
  const before = names.map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    end();
  };
}

function sessionOf({ folder, objects, sender }: PooledEmulator, close: () => Promise<void>): Session {
  const { send, addressOf } = sender;
  const atRest = () => textIn(folder);
  return { send, addressOf, identity: EMULATOR_IDENTITY, objects, atRest, reach: REACH, close };
}

/** Merges nested settings; the second ones take precedence. */
function merged(first: CaseSettings, second: CaseSettings): CaseSettings {
  const all: Record<string, unknown> = { ...first };
  for (const [name, value] of Object.entries(second)) {
    const before = all[name];
    all[name] = isMembers(before) && isMembers(value) ? merged(before, value) : value;
  }
  return all;
}
