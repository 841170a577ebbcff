import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { ReadyLine } from "../../config/configuration.ts";
import { makeFolder } from "./make-folder.ts";

/** The file that a running emulator writes into its data folder, so that commands find it. */
export interface Locator extends ReadyLine {
  /** A pid is meaningful only on its own machine or in its own container. */
  readonly hostname: string;
}

const NAME = "locator.json";
const MAX_BYTES = 65_536;

/** The path of the locator of a data folder. */
export function locatorPath(folder: string): string {
  return join(folder, NAME);
}

/** Writes the locator. Returns false, and writes nothing, when another running emulator has one in this folder. */
export function writeLocator(folder: string, ready: ReadyLine): boolean {
  const present = readLocator(folder);
  if (present !== undefined && present.pid !== ready.pid && isAlive(present)) return false;
  const path = locatorPath(folder);
  const temporary = `${path}.${ready.pid}`;
  makeFolder(folder);
  const locator: Locator = { ...ready, hostname: hostname() };
  try {
    writeFileSync(temporary, `${JSON.stringify(locator, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  return true;
}

/** The locator in a folder; undefined when it is missing or malformed. */
export function readLocator(folder: string): Locator | undefined {
  try {
    const source = readFileSync(locatorPath(folder), "utf8");
    const locator = source.length > MAX_BYTES ? undefined : (JSON.parse(source) as Locator);
    return isLocator(locator) ? locator : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the locator if it is this process's own. */
export function removeLocator(folder: string, pid: number): void {
  if (readLocator(folder)?.pid === pid) rmSync(locatorPath(folder), { force: true });
}

/** Whether the process still runs. A process of another machine is assumed to run. */
export function isAlive(owner: { readonly pid: number; readonly hostname: string }): boolean {
  if (owner.hostname !== hostname()) return true;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function isLocator(value: Locator | undefined): value is Locator {
  const texts = [value?.url, value?.eu_url, value?.s3_url, value?.hostname];
  return Number.isInteger(value?.pid) && texts.every((text) => typeof text === "string");
}
