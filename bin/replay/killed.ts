import { cpSync } from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { resolveConfiguration } from "../../emulator/config/resolve.ts";
import { answerInProcess } from "../../emulator/runtime/library/fetch.ts";
import { LOCK_ENTRIES } from "../../emulator/runtime/process/folder-lock.ts";
import {
  makeTemporaryFolder,
  removeTemporaryFolder,
} from "../../emulator/runtime/process/temporary-folder.ts";
import { type RunningEmulator, start } from "../../emulator/runtime/start.ts";
import {
  type Environment,
  EnvironmentError,
  type EnvironmentOptions,
  replyOf,
  type ScenarioRequest,
} from "../../scenarios/environment.ts";
import { readParquet } from "./read-parquet.ts";

const ADVANCE = "/_emulator/v1/clock/advance";

/**
 * An emulator whose process is as good as killed right after a turn: while its clock is moved, its data folder is copied
 * when the first turn from `killAfterTurn` on is written, and a new emulator resumes from the copy. The move of the
 * clock, which was never answered, is sent again.
 */
export async function openKilled(setting: EnvironmentOptions, killAfterTurn: number): Promise<Environment> {
  const folder = makeTemporaryFolder();
  const [before, after] = [join(folder, "before"), join(folder, "after")];
  let running = await startOnFreePorts(setting, before);
  const port = Number(new URL(running.ready.url).port);
  const killSwitch = createKillSwitch(running, killAfterTurn, () =>
    cpSync(before, after, { recursive: true, filter: (path) => !isLock(path, before) }),
  );
  const send = (request: ScenarioRequest) => sendTo(running, request);

  /** Moves the clock; if the process is killed meanwhile, restarts it and moves to the same time. */
  async function move(request: ScenarioRequest): Promise<Response> {
    const target = await withAbsoluteTime(request, send);
    const killed = killSwitch.arm();
    const response = send(target);
    const outcome = await Promise.race([killed, response]);
    killSwitch.disarm();
    if (outcome !== "killed") return outcome;
    // Nobody receives the late answers of the old process.
    await Promise.allSettled([response, running.close()]);
    running = await startOn(setting, { data: after, port });
    return send(target);
  }

  const { url, eu_url: euUrl, s3_url: s3Url, seed } = running.ready;
  return {
    url,
    euUrl,
    s3Url,
    seed,
    request: async (request) => replyOf(await (request.path === ADVANCE ? move(request) : send(request))),
    readParquet,
    async close() {
      await running.close();
      await removeTemporaryFolder(folder);
    },
  };
}

interface KillSwitch {
  /** Resolves at the first turn that kills the process. */
  arm(): Promise<"killed">;
  disarm(): void;
}

/** While it is armed, the first turn from `killAfterTurn` on calls `copy` as soon as it is written. */
function createKillSwitch(emulator: RunningEmulator, killAfterTurn: number, copy: () => void): KillSwitch {
  let kill: (() => void) | undefined;
  emulator.world("main")?.runtime.world.journal.follow(({ turn }) => {
    if (kill === undefined || turn < killAfterTurn) return;
    copy();
    kill();
    kill = undefined;
  });
  return {
    arm: () =>
      new Promise((settle) => {
        kill = () => settle("killed");
      }),
    disarm() {
      kill = undefined;
    },
  };
}

function sendTo(
  { ready, handle }: RunningEmulator,
  { region, method, path, headers, body }: ScenarioRequest,
): Promise<Response> {
  const init = { method, headers, ...(body !== undefined && { body }) };
  const request = new Request((region === "eu" ? ready.eu_url : ready.url) + path, init);
  return answerInProcess({ region, maxBodyBytes: Number.MAX_SAFE_INTEGER, handle }, request);
}

/** A move of the clock by a duration becomes one to a time, so that it can be repeated after a kill. */
async function withAbsoluteTime(
  request: ScenarioRequest,
  send: (request: ScenarioRequest) => Promise<Response>,
): Promise<ScenarioRequest> {
  const { by } = JSON.parse(request.body ?? "{}") as { readonly by?: string };
  if (by === undefined) return request;
  const dryRun = await send({ ...request, path: `${ADVANCE}?dry_run=1` });
  const { to } = (await dryRun.json()) as { readonly to?: string };
  return to === undefined ? request : { ...request, body: JSON.stringify({ to }) };
}

function isLock(path: string, folder: string): boolean {
  return LOCK_ENTRIES.some((name) => path === join(folder, name));
}

/**
 * Ports that are tried, three at a time: the new process has the addresses of the old one. They are below those that systems
 * use for connections (from 32,768 on), one of which could otherwise take a port before the new process listens on it.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const TRIES = 50;
let nextPort = FIRST_PORT + (((process.pid + 1009 * threadId) * 97) % (LAST_PORT - FIRST_PORT));

async function startOnFreePorts(setting: EnvironmentOptions, data: string): Promise<RunningEmulator> {
  const { now = "2026-01-01T00:00:00Z" } = setting;
  for (let attempts = 1; ; attempts += 1) {
    nextPort = nextPort + 3 > LAST_PORT ? FIRST_PORT : nextPort + 3;
    try {
      return await startOn(setting, { data, port: nextPort, now });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || attempts === TRIES) throw error;
    }
  }
}

/** An emulator on a data folder; without `now` it has the time that it was left at. */
async function startOn(
  { seed, settings }: EnvironmentOptions,
  more: { readonly data: string; readonly port: number; readonly now?: string },
): Promise<RunningEmulator> {
  const options = {
    rateLimits: "off",
    ...settings,
    clock: "frozen",
    ...more,
    ...(seed !== undefined && { seed }),
  };
  const resolution = await resolveConfiguration({ cwd: process.cwd(), options });
  if (!resolution.ok) throw new EnvironmentError(resolution.problems.join("; "));
  return start(resolution.configuration);
}
