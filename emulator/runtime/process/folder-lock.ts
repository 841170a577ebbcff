import { readFileSync, realpathSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { LockOptions } from "proper-lockfile";
import { isAlive, readLocator } from "./locator.ts";
import { makeFolder } from "./make-folder.ts";

const LOCK = "lock";
const OWNER = "lock-owner.json";

/** The entries of a data folder that exist while it is locked. */
export const LOCK_ENTRIES: readonly string[] = [LOCK, OWNER];

/** Another emulator uses the data folder. The message names its process and the next step. */
export class FolderInUse extends Error {
  override readonly name = "FolderInUse";
}

interface Owner {
  readonly pid: number;
  readonly hostname: string;
  /** Wall-clock milliseconds; distinguishes this process from a dead one with the same pid, as in a container. */
  readonly started: number;
}

const STARTED = Date.now() - Math.round(process.uptime() * 1000);
const STARTED_TOLERANCE_MS = 500;
const STALE_MS = 15_000;
const HEARTBEAT_MS = 3_000;
const PATIENCE_MS = STALE_MS + HEARTBEAT_MS;
const RETRY_MS = 500;

/**
 * Locks a data folder for this process until `release` is called. The lock of a killed process is taken over immediately if that
 * process ran on this machine, and otherwise after its heartbeat has become stale; `onWait` is called once before such a wait.
 */
export async function lockFolder(
  folder: string,
  onLost: (reason: string) => void,
  onWait?: (reason: string) => void,
) {
  makeFolder(folder);
  const path = realpathSync(folder);
  const { lock } = await import("proper-lockfile");
  const deadline = performance.now() + PATIENCE_MS;
  for (let report = onWait; ; report = undefined) {
    removeStaleLock(path);
    try {
      const release = await lock(path, {
        ...optionsFor(path),
        onCompromised: () =>
          onLost(
            `the lock of ${folder} was lost: the process was suspended for too long, or the lock was removed`,
          ),
      });
      const owner: Owner = { pid: process.pid, hostname: hostname(), started: STARTED };
      writeFileSync(ownerPath(path), JSON.stringify(owner), { mode: 0o600 });
      return { release: () => unlock(path, release) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ELOCKED") throw error;
      const owner = readOwner(path);
      const holder = describe(path, owner);
      if (!mayBeGone(owner) || performance.now() >= deadline)
        throw new FolderInUse(
          `${folder} is in use by ${holder}; stop it with \`emulator stop --data ${folder}\`, or use another folder with --data`,
        );
      report?.(
        `${folder} is locked by ${holder}, which may have ended; waiting up to ${PATIENCE_MS / 1000} s for its heartbeat to stop`,
      );
      await pause(RETRY_MS);
    }
  }
}

/** The holder of a data folder's lock; undefined when it is free, or its owner is known to be dead. */
export async function holderOf(folder: string): Promise<string | undefined> {
  const { check } = await import("proper-lockfile");
  const locked = await check(folder, optionsFor(folder));
  const owner = readOwner(folder);
  return locked && !isDead(owner) ? describe(folder, owner) : undefined;
}

/** An owner elsewhere may be a container that has ended. Only its heartbeat shows this, so it may be waited for. */
function mayBeGone(owner: Owner | undefined): boolean {
  return owner === undefined || owner.hostname !== hostname() || isDead(owner);
}

/**
 * Removes the lock of a killed process. The owner's file is moved away first: of several processes that start at the same time
 * only one can move it. A process that moved the file of a living owner moves it back.
 */
function removeStaleLock(path: string): void {
  const owner = readOwner(path);
  if (!isDead(owner)) return;
  const aside = `${ownerPath(path)}.${process.pid}`;
  try {
    renameSync(ownerPath(path), aside);
    if (isDead(readOwnerFile(aside))) {
      rmdirSync(lockPath(path));
      rmSync(aside, { force: true });
    } else renameSync(aside, ownerPath(path));
  } catch (error) {
    rmSync(aside, { force: true });
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

async function unlock(path: string, release: () => Promise<void>): Promise<void> {
  rmSync(ownerPath(path), { force: true });
  await release().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ERELEASED" && error.code !== "ENOTACQUIRED") throw error;
  });
}

function isDead(owner: Owner | undefined): boolean {
  if (owner === undefined || owner.hostname !== hostname()) return false;
  if (owner.pid === process.pid) return Math.abs(owner.started - STARTED) > STARTED_TOLERANCE_MS;
  return !isAlive(owner);
}

function describe(folder: string, owner: Owner | undefined): string {
  const locator = readLocator(folder);
  if (owner === undefined) return "another process";
  const where = owner.hostname === hostname() ? "" : ` on ${owner.hostname}`;
  return `process ${owner.pid}${where}${locator?.pid === owner.pid ? ` (${locator.url})` : ""}`;
}

function readOwner(folder: string): Owner | undefined {
  return readOwnerFile(ownerPath(folder));
}

function readOwnerFile(file: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(file, "utf8")) as Partial<Owner>;
    return Number.isInteger(owner.pid) && typeof owner.hostname === "string" ? (owner as Owner) : undefined;
  } catch {
    return undefined;
  }
}

function optionsFor(path: string): LockOptions {
  return { lockfilePath: lockPath(path), realpath: false, stale: STALE_MS, update: HEARTBEAT_MS };
}

function lockPath(folder: string): string {
  return join(folder, LOCK);
}

function ownerPath(folder: string): string {
  return join(folder, OWNER);
}
