import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { ReadyLine } from "../config/configuration.ts";
import { makeFolder } from "./make-folder.ts";

/** What a running emulator leaves in its data folder for the commands that look for it. */
export interface Locator extends ReadyLine {
  /** A pid means nothing on another machine or in another container. */
  readonly hostname: string;
}

const NAME = "locator.json";
const MAX_BYTES = 65_536;

/** Where the locator of a data folder lies. */
export function locatorPath(folder: string): string {
  return join(folder, NAME);
}

/** Leaves the locator; false when another running emulator's locator lies there, which is kept. */
export function writeLocator(folder: string, ready: ReadyLine): boolean {
  const present = readLocator(folder);
  if (present !== undefined && present.pid !== ready.pid && isAlive(present)) return false;
  const path = locatorPath(folder);
  const temporary = `${path}.${ready.pid}`;
  makeFolder(folder);
  const locator: Locator = { ...ready, hostname: hostname() };
  writeFileSync(temporary, `${JSON.stringify(locator, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
  return true;
}

/** The locator in a folder; undefined when there is none or it is not readable as one. */
export function readLocator(folder: string): Locator | undefined {
  try {
    const source = readFileSync(locatorPath(folder), "utf8");
    const locator = source.length > MAX_BYTES ? undefined : (JSON.parse(source) as Locator);
    return isLocator(locator) ? locator : undefined;
  } catch {
    return undefined;
  }
}

/** Takes the locator away if it is this process's own. */
export function removeLocator(folder: string, pid: number): void {
  if (readLocator(folder)?.pid === pid) rmSync(locatorPath(folder), { force: true });
}

/** Whether the process of a locator still runs; one of another machine is given the benefit of the doubt. */
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
