import { statSync } from "node:fs";
import { lockFolder } from "../../emulator/storage/folder-lock.ts";
import type { RepairReport } from "../../emulator/storage/repair/findings.ts";
import { examineFolder } from "../../emulator/storage/repair/repair.ts";
import { StoreError } from "../../emulator/storage/store-error.ts";
import { UsageError } from "../command.ts";
import type { Finding } from "./findings.ts";

const SHOWN_MAX = 20;

/** Reads all files of a data folder that no process holds. */
export async function checkFiles(folder: string): Promise<Finding[]> {
  if (!isFolder(folder)) return [];
  const fix = `run \`emulator doctor --repair --data ${folder}\`, or restore the folder`;
  try {
    const { problems } = await examineLocked(folder, false);
    if (problems.length === 0) return [{ ok: true, what: `every file of ${folder} is as it was written` }];
    const more = problems.length - SHOWN_MAX;
    return [
      ...problems.slice(0, SHOWN_MAX).map((what) => ({ ok: false, what: what.replace(/\.$/, ""), fix })),
      ...(more > 0 ? [{ ok: false, what: `${more} more files or places are damaged`, fix }] : []),
    ];
  } catch (error) {
    if (error instanceof StoreError) return [{ ok: false, what: error.message, fix: error.hint ?? fix }];
    throw error;
  }
}

/** Makes a data folder one that an emulator starts in. Throws `UsageError` for one that is none or that a process holds. */
export async function repairFiles(folder: string): Promise<RepairReport> {
  if (!isFolder(folder)) throw new UsageError(`${folder} is no folder; name the data folder with --data`);
  try {
    return await examineLocked(folder, true);
  } catch (error) {
    const { name, message, code } = error as NodeJS.ErrnoException;
    if (error instanceof StoreError) throw new UsageError(`${message} ${error.hint}`);
    if (name === "FolderInUse") throw new UsageError(message);
    if (code?.startsWith("E")) throw new UsageError(`${folder}: ${message}; check whose it is, and its disk`);
    throw error;
  }
}

/** What was done to a data folder, for people. */
export function linesOf(folder: string, { problems, rebuilt, lost, aside }: RepairReport): string[] {
  if (problems.length === 0) return [`every file of ${folder} is as it was written; nothing to repair`];
  return [
    ...problems.map((what) => `damaged  ${what}`),
    ...rebuilt.map((what) => `rebuilt  ${what}`),
    ...lost.map((what) => `lost     ${what}`),
    ...(aside === undefined ? [] : [`what was damaged or is named no more lies in ${aside}`]),
  ];
}

async function examineLocked(folder: string, mayChange: boolean): Promise<RepairReport> {
  const lock = await lockFolder(folder, () => undefined);
  try {
    return await examineFolder(folder, mayChange);
  } finally {
    await lock.release();
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
