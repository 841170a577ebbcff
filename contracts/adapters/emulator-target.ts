import { type CaseSettings, NEEDS, type Need } from "../case.ts";
import type { Identity, Session, Target } from "../target.ts";
import { openObjectStore } from "./object-store.ts";
import { REACH } from "./reach.ts";
import { createSend } from "./send.ts";

/** An emulator as its library starts it. */
export interface StartedEmulator {
  readonly url: string;
  readonly euUrl: string;
  readonly s3Url: string;
  close(): Promise<void>;
}

export type StartEmulator = (settings: CaseSettings) => Promise<StartedEmulator>;

/** What a fresh emulator holds; its clock stands still so that cases move it. */
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

/** A fresh emulator in this process for each case; `start` is handed in, since this folder knows no emulator. */
export function createEmulatorTarget(start: StartEmulator, more: CaseSettings = {}): Target {
  return {
    name: "emulator, in this process",
    offers: new Set(Object.keys(NEEDS) as Need[]),
    width: WIDTH,
    now: REACH.now,
    async open(settings = {}) {
      return sessionOf(await start({ clock: "frozen", now: CASE_START, ...merged(settings, more) }));
    },
    close: async () => {},
  };
}

function sessionOf(emulator: StartedEmulator): Session {
  const addresses = { us: emulator.url, eu: emulator.euUrl };
  const objects = openObjectStore(emulator.s3Url, EMULATOR_IDENTITY.bucket);
  return {
    send: createSend(addresses),
    addresses,
    identity: EMULATOR_IDENTITY,
    objects,
    reach: REACH,
    async close() {
      objects.close();
      await emulator.close();
    },
  };
}

/** Settings nest: `limits` of one and `limits` of the other come together, and the second wins. */
function merged(first: CaseSettings, second: CaseSettings): CaseSettings {
  const all: Record<string, unknown> = { ...first };
  for (const [name, value] of Object.entries(second)) {
    const before = all[name];
    all[name] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return all;
}

function isObject(value: unknown): value is CaseSettings {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
