import { resolveConfiguration } from "./adapters/config/resolve.ts";
import { CONTROL_PREFIX } from "./control/gateway.ts";
import type { Verification } from "./control/operation.ts";
import { formatInstant } from "./kernel/instant.ts";
import { type RunningEmulator, start } from "./start.ts";

export type { ReadyLine } from "./configuration.ts";
export type { Verification } from "./control/operation.ts";

/**
 * The keys of the configuration file, or its flags in camelCase: `{ clock: "frozen", now: "2026-01-01T00:00:00Z",
 * seed: 7, limits: { workflow_timeout: "PT48H" } }`. Free ports, memory and no rate limits unless told otherwise.
 */
export type EmulatorOptions = Readonly<Record<string, unknown>>;

export interface Emulator {
  /** Origin of the US region, without a slash at its end. */
  readonly url: string;
  readonly euUrl: string;
  readonly s3Url: string;
  readonly clock: EmulatorClock;
  /** Calls a test-only operation by its path below `/_emulator/v1`; rejects with its message when it is refused. */
  control<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  /** Reads every file of an export back and compares it with what was sent. */
  verifyExport(id: string): Promise<Verification>;
  /** Makes the world equal to a fresh one. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export interface EmulatorClock {
  /** Virtual time, ISO 8601. */
  now(): string;
  freeze(): Promise<void>;
  flow(rate?: number): Promise<void>;
  /** `"PT6H10M"`, or what `POST /clock/advance` takes. */
  advance(target: string | Readonly<Record<string, unknown>>): Promise<AdvanceResult>;
}

export interface AdvanceResult {
  readonly from: string;
  readonly to: string;
  readonly fired: readonly {
    readonly at: string;
    readonly kind: string;
    readonly ref: string;
    readonly cause: string;
  }[];
  readonly fired_total: number;
  readonly settled: boolean;
  /** Only for `until`. */
  readonly reached?: boolean;
  readonly why?: string;
}

/** Starts an emulator in this process; rejects with every problem of the options. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const defaults = { port: 0, ephemeral: true, rateLimits: "off" };
  const resolution = await resolveConfiguration({ cwd: process.cwd(), options: { ...defaults, ...options } });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  return emulatorOf(await start(resolution.configuration));
}

function emulatorOf(running: RunningEmulator): Emulator {
  const { ready } = running;

  async function control<T>(method: string, path: string, body?: unknown): Promise<T> {
    const mark = path.indexOf("?");
    const reply = await running.handle({
      region: "us",
      method,
      path: `${CONTROL_PREFIX}v1${mark === -1 ? path : path.slice(0, mark)}`,
      query: mark === -1 ? "" : path.slice(mark + 1),
      headers: { host: "localhost", "content-type": "application/json" },
      body: body === undefined ? new Uint8Array(0) : new TextEncoder().encode(JSON.stringify(body)),
      address: "127.0.0.1",
    });
    const value = JSON.parse(String(reply.body));
    if (reply.status !== 200)
      throw new Error(value.error?.message ?? `${method} ${path} answered ${reply.status}.`);
    return value as T;
  }

  return {
    url: ready.url,
    euUrl: ready.eu_url,
    s3Url: ready.s3_url,
    control,
    clock: {
      now: () => formatInstant(running.control.world.now),
      freeze: () => control("POST", "/clock/freeze"),
      flow: (rate = 1) => control("POST", "/clock/flow", { rate }),
      advance: (target) =>
        control("POST", "/clock/advance", typeof target === "string" ? { by: target } : target),
    },
    verifyExport: (id) => control("GET", `/exports/${id}/verify`),
    reset: () => control("POST", "/reset", {}),
    close: running.close,
  };
}
