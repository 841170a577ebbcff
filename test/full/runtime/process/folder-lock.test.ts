import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FolderInUse, holderOf, lockFolder } from "../../../../emulator/runtime/process/folder-lock.ts";
import { workingFolder } from "../../../support/emulator-process.ts";

let folder: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = workingFolder();
});

afterEach(() => {
  child?.kill("SIGKILL");
  child = undefined;
});

function fail(reason: string): never {
  throw new Error(reason);
}

function lock() {
  return lockFolder(folder, fail);
}

/** What a process that holds the lock, or held it when it was killed, leaves in the folder. */
function leaveLock(owner: { pid: number; hostname?: string; started?: number }, ageMs = 0): void {
  mkdirSync(join(folder, "lock"));
  const at = new Date(Date.now() - ageMs);
  utimesSync(join(folder, "lock"), at, at);
  writeFileSync(
    join(folder, "lock-owner.json"),
    JSON.stringify({ hostname: hostname(), started: Date.now() - ageMs, ...owner }),
  );
}

async function livingPid(): Promise<number> {
  child = spawn(process.execPath, ["-e", "process.stdin.resume()"]);
  return child.pid ?? 0;
}

async function deadPid(): Promise<number> {
  const pid = await livingPid();
  const exit = new Promise((resolve) => child?.once("exit", resolve));
  child?.kill("SIGKILL");
  await exit;
  return pid;
}

describe("a data folder", () => {
  it("is made when it is missing, held by one, and free again after its release", async () => {
    folder = join(folder, "made", "here");
    const first = await lock();
    expect(await holderOf(folder)).toBe(`process ${process.pid}`);
    await expect(lock()).rejects.toThrow(FolderInUse);
    await first.release();
    expect(await holderOf(folder)).toBeUndefined();
    await (await lock()).release();
    expect(existsSync(join(folder, "lock"))).toBe(false);
  });

  it("that a living process holds is refused, with its pid, its address and what to do", async () => {
    const pid = await livingPid();
    leaveLock({ pid });
    const locator = {
      ready: true,
      url: "http://127.0.0.1:4700",
      eu_url: "u",
      s3_url: "s",
      pid,
      hostname: hostname(),
    };
    writeFileSync(join(folder, "locator.json"), JSON.stringify(locator));
    await expect(lock()).rejects.toThrow(
      `${folder} is in use by process ${pid} (http://127.0.0.1:4700); stop it with \`emulator stop --data ${folder}\`, or use another folder with --data`,
    );
    expect(readFileSync(join(folder, "lock-owner.json"), "utf8")).toContain(String(pid));
  });

  it("of a killed process is taken over at once", async () => {
    leaveLock({ pid: await deadPid() });
    const folderLock = await lock();
    expect(readFileSync(join(folder, "lock-owner.json"), "utf8")).toContain(`"pid":${process.pid}`);
    await folderLock.release();
  });

  it("of a dead process with the same id is taken over, as in a restarted container", async () => {
    leaveLock({ pid: process.pid, started: Date.now() - 86_400_000 });
    await (await lock()).release();
  });

  it.each([
    ["of another machine", "process 1 on elsewhere", () => undefined],
    ["without its owner's file", "another process", () => rmSync(join(folder, "lock-owner.json"))],
  ])("%s is waited for, which is said once and at once", async (_title, holder, lose) => {
    leaveLock({ pid: 1, hostname: "elsewhere" }, 14_000);
    lose();
    const reasons: string[] = [];
    const { release } = await lockFolder(folder, fail, (reason) => reasons.push(reason));
    await release();
    expect(reasons).toEqual([
      `${folder} is locked by ${holder}, which may have ended; waiting up to 18 s for its heartbeat to stop`,
    ]);
  });

  it("of another machine is taken over when its heartbeat has gone stale", async () => {
    leaveLock({ pid: 1, hostname: "elsewhere" }, 60_000);
    await (await lock()).release();
  });

  it("is acquired by only one of many processes after a kill", async () => {
    leaveLock({ pid: await deadPid() });
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lock()));
    const winners = outcomes.filter(({ status }) => status === "fulfilled");
    expect(winners).toHaveLength(1);
    for (const outcome of winners) if (outcome.status === "fulfilled") await outcome.value.release();
  });
});
