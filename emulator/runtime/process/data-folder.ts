import { existsSync, readdirSync, rm, rmdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { withResolvers } from "../../kernel/deferred.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { LOCK_ENTRIES, lockFolder } from "./folder-lock.ts";
import { makeTemporaryFolder, removeTemporaryFolder, sweepTemporaryFolders } from "./temporary-folder.ts";

/** The folder that a process keeps its worlds in, for as long as it holds it. */
export interface DataFolder {
  readonly path: string;
  /** Settles with the reason when another process has taken the folder. */
  readonly lost: Promise<string>;
  isLost(): boolean;
  release(): Promise<void>;
  /** Releases it after a start that failed: what that has made goes where nothing was before. */
  discard(): Promise<void>;
}

/**
 * Locks a data folder; null makes a temporary one that goes when it is released. `onWait` is called before a wait for another
 * process. Leaves nothing behind when it throws.
 */
export async function acquireDataFolder(
  folder: string | null,
  onWait: (reason: string) => void,
): Promise<DataFolder> {
  const { promise: loss, resolve } = withResolvers<string>();
  sweepTemporaryFolders();
  if (folder === null) {
    const path = makeTemporaryFolder();
    const release = () => removeTemporaryFolder(path);
    return { path, lost: loss, isLost: () => false, release, discard: release };
  }
  refuseForeign(folder);
  const newFolders = missingFolders(folder);
  let isLost = false;
  try {
    const onLost = (reason: string) => {
      isLost = true;
      resolve(reason);
    };
    const { release } = await lockFolder(folder, onLost, onWait);
    const wasEmpty = contentOf(folder).length === 0;
    keepOutOfGit(folder);
    return {
      path: folder,
      lost: loss,
      isLost: () => isLost,
      release,
      async discard() {
        const createdNames = wasEmpty && !isLost ? contentOf(folder) : [];
        for (const name of createdNames)
          await promisify(rm)(join(folder, name), { recursive: true, force: true });
        await release();
        removeEmpty(newFolders);
      },
    };
  } catch (error) {
    removeEmpty(newFolders);
    throw error;
  }
}

/** A data folder holds secrets and the key to them, and is often in a repository. */
function keepOutOfGit(folder: string): void {
  const file = join(folder, ".gitignore");
  if (!existsSync(file)) writeFileSync(file, "*\n", { mode: 0o600 });
}

/** What an emulator of any version makes in its data folder; it may also put reports of defects there. */
const OWN = /^(key|pool|lengths|lock|lock-owner\.json|locator\.json|emulator\.log|worlds(\..*)?|defect-.*)$/;
/** What a detached start makes before its process exists. */
const DETACHED_LOG = "emulator.log";
/** What others make in folders that are empty otherwise: hidden files, and what a new disk holds. */
const IGNORED = /^(\..*|lost\+found)$/;

/** A folder that holds other things and nothing of an emulator was named by mistake. */
function refuseForeign(folder: string): void {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const names = readdirSync(folder).filter((name) => !IGNORED.test(name));
  if (names.length === 0 || names.some((name) => OWN.test(name))) return;
  throw new Refusal(
    422,
    "foreign_folder",
    `${folder} holds other things (${names.slice(0, 3).join(", ")}) and no data of an emulator.`,
    "Name an empty or a new folder with --data.",
  );
}

function contentOf(folder: string): string[] {
  return readdirSync(folder).filter((name) => !LOCK_ENTRIES.includes(name) && name !== DETACHED_LOG);
}

/** The folder and those above it that do not exist yet, the deepest first. */
function missingFolders(folder: string): string[] {
  return existsSync(folder) ? [] : [folder, ...missingFolders(dirname(folder))];
}

function removeEmpty(folders: readonly string[]): void {
  try {
    for (const folder of folders) if (existsSync(folder)) rmdirSync(folder);
  } catch {
    // Somebody else uses it by now.
  }
}
