import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withResolvers } from "../kernel/deferred.ts";
import { lockFolder } from "../storage/folder-lock.ts";

/** The folder that a process keeps its worlds in, for as long as it holds it. */
export interface DataFolder {
  readonly path: string;
  /** Settles with the reason when another process has taken the folder. */
  readonly lost: Promise<string>;
  release(): Promise<void>;
}

/** Locks a data folder; null makes a temporary one that goes when it is released. */
export async function acquireDataFolder(folder: string | null): Promise<DataFolder> {
  const { promise: lost, resolve } = withResolvers<string>();
  if (folder !== null) {
    const { release } = await lockFolder(folder, resolve);
    return { path: folder, lost, release };
  }
  const path = mkdtempSync(join(tmpdir(), "emulator-"));
  return { path, lost, release: () => rm(path, { recursive: true, force: true }) };
}
