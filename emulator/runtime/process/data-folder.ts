import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withResolvers } from "../../kernel/deferred.ts";
import { lockFolder } from "../../storage/folder-lock.ts";

/** The folder that a process keeps its worlds in, for as long as it holds it. */
export interface DataFolder {
  readonly path: string;
  /** Settles with the reason when another process has taken the folder. */
  readonly lost: Promise<string>;
  isLost(): boolean;
  release(): Promise<void>;
}

/** Locks a data folder; null makes a temporary one that goes when it is released. */
export async function acquireDataFolder(folder: string | null): Promise<DataFolder> {
  const { promise: lost, resolve } = withResolvers<string>();
  if (folder !== null) {
    let isLost = false;
    const { release } = await lockFolder(folder, (reason) => {
      isLost = true;
      resolve(reason);
    });
    return { path: folder, lost, isLost: () => isLost, release };
  }
  const path = mkdtempSync(join(tmpdir(), "emulator-"));
  return { path, lost, isLost: () => false, release: () => rm(path, { recursive: true, force: true }) };
}
