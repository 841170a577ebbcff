import { existsSync, lstatSync, mkdtempSync, readdir, rm, rmdirSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isAlive } from "./locator.ts";

/** The process, the machine and a random part. `contracts/targets/emulator-target.ts` uses the same names. */
const NAME = /^emulator-(\d+)-(.+)-[A-Za-z0-9]{6}$/;

const folders = new Set<string>();
let hasSwept = false;

/** Creates a folder that is removed at the end of this process, or by `sweepTemporaryFolders` of a later one. */
export function makeTemporaryFolder(): string {
  if (folders.size === 0) process.once("exit", removeAll);
  const path = mkdtempSync(join(tmpdir(), `emulator-${process.pid}-${hostname()}-`));
  folders.add(path);
  return path;
}

/** An empty folder is removed immediately, without the delay of a recursive removal. */
export async function removeTemporaryFolder(path: string): Promise<void> {
  try {
    rmdirSync(path);
  } catch {
    if (existsSync(path)) await promisify(rm)(path, { recursive: true, force: true });
  }
  folders.delete(path);
  if (folders.size === 0) process.off("exit", removeAll);
}

function removeAll(): void {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
}

/** Removes the folders of this user's processes that were killed on this machine. The first call of a process does it. */
export function sweepTemporaryFolders(): void {
  if (hasSwept) return;
  hasSwept = true;
  readdir(tmpdir(), (_, names = []) => {
    for (const name of names) {
      const [, pid, machine = ""] = NAME.exec(name) ?? [];
      if (machine !== hostname() || isAlive({ pid: Number(pid), hostname: machine })) continue;
      const path = join(tmpdir(), name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats?.isDirectory() && stats.uid === process.getuid?.()) rm(path, { recursive: true }, () => {});
    }
  });
}
