import { cpSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { resolveConfiguration } from "../../emulator/config/resolve.ts";
import { answerInProcess } from "../../emulator/runtime/library/fetch.ts";
import { type RunningEmulator, start } from "../../emulator/runtime/start.ts";
import { LOCK_ENTRIES } from "../../emulator/storage/folder-lock.ts";
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
 * clock, which was never answered, is asked for once more.
 */
export async function openKilled(setting: EnvironmentOptions, killAfterTurn: number): Promise<Environment> {
  const folder = mkdtempSync(join(tmpdir(), "emulator-killed-"));
  const [before, after] = [join(folder, "before"), join(folder, "after")];
  let running = await startedAnywhere(setting, before);
  const port = Number(new URL(running.ready.url).port);
  let isMoving = false;
  let kill: (() => void) | undefined;
  const { world } = running.world("main")?.runtime ?? {};
  const unfollow = world?.journal.follow(({ turn }) => {
    if (kill === undefined || !isMoving || turn < killAfterTurn) return;
    cpSync(before, after, { recursive: true, filter: (path) => !isLock(path, before) });
    kill();
    kill = undefined;
  });

  function send({ region, method, path, headers, body }: ScenarioRequest): Promise<Response> {
    const { url, eu_url } = running.ready;
    const init = { method, headers, ...(body !== undefined && { body }) };
    const asked = new Request((region === "eu" ? eu_url : url) + path, init);
    const server = { region, maxBodyBytes: Number.MAX_SAFE_INTEGER, handle: running.handle };
    return answerInProcess(server, asked);
  }

  /** Moves the clock; if the process is killed meanwhile, restarts it and moves to the same time. */
  async function move(asked: ScenarioRequest): Promise<Response> {
    const target = await absolute(asked);
    const killed = new Promise<"killed">((settle) => {
      kill = () => settle("killed");
    });
    isMoving = true;
    const replied = send(target);
    const outcome = await Promise.race([killed, replied]);
    isMoving = false;
    if (outcome !== "killed") return outcome;
    unfollow?.();
    // What the old process still answers reaches nobody.
    await Promise.allSettled([replied, running.close()]);
    running = await started(setting, { data: after, port });
    return send(target);
  }

  async function absolute(asked: ScenarioRequest): Promise<ScenarioRequest> {
    const { by } = JSON.parse(asked.body ?? "{}") as { readonly by?: string };
    if (by === undefined) return asked;
    const dryRun = `${ADVANCE}?dry_run=1`;
    const { to } = (await (await send({ ...asked, path: dryRun })).json()) as { readonly to?: string };
    return to === undefined ? asked : { ...asked, body: JSON.stringify({ to }) };
  }

  const { url, eu_url: euUrl, s3_url: s3Url, seed } = running.ready;
  return {
    url,
    euUrl,
    s3Url,
    seed,
    request: async (asked) => replyOf(await (asked.path === ADVANCE ? move(asked) : send(asked))),
    readParquet,
    async close() {
      await running.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isLock(path: string, folder: string): boolean {
  return LOCK_ENTRIES.some((name) => path === join(folder, name));
}

/** Ports that are tried, three at a time: the new process has the addresses of the old one. */
const FIRST_PORT = 20_000;
const LAST_PORT = 60_000;
const TRIES = 50;
let nextPort = FIRST_PORT + (((process.pid + 1009 * threadId) * 97) % (LAST_PORT - FIRST_PORT));

async function startedAnywhere(setting: EnvironmentOptions, data: string): Promise<RunningEmulator> {
  const { now = "2026-01-01T00:00:00Z" } = setting;
  for (let tried = 1; ; tried += 1) {
    nextPort = nextPort + 3 > LAST_PORT ? FIRST_PORT : nextPort + 3;
    try {
      return await started(setting, { data, port: nextPort, now });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || tried === TRIES) throw error;
    }
  }
}

/** An emulator on a data folder; without `now` it has the time that it was left at. */
async function started(
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
  if (!resolution.ok) throw new EnvironmentError(resolution.problems.join("\n"));
  return start(resolution.configuration);
}
