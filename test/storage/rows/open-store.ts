import { emptyState } from "../../../emulator/kernel/commit.ts";
import { type Manifests, openManifests } from "../../../emulator/storage/pool/manifests.ts";
import { newManifest } from "../../../emulator/storage/pool/names.ts";
import { openPool, type Pool } from "../../../emulator/storage/pool/pool.ts";
import type { RowStore } from "../../../emulator/storage/rows/store.ts";
import { createSecrets } from "../../../emulator/storage/secrets.ts";
import {
  openWorldStorage,
  type StoredImage,
  type WorldStorage,
} from "../../../emulator/storage/world-storage.ts";
import { OBJECT_STORAGE_COLLECTIONS } from "../../../emulator/subjects/object-storage/records.ts";

/** The rows of a world in which each write is a turn of its own, kept at once. */
export interface TestRows extends RowStore {
  readonly storage: WorldStorage;
  readonly pool: Pool;
  readonly manifests: Manifests;
  /** Another world that begins with these rows. */
  fork(): TestRows;
  /** Saves it under a name, and loads it from there. */
  saveAndLoad(snapshot: string): Promise<TestRows>;
  /** The same rows as a process finds them that starts now. */
  reopen(): TestRows;
  close(): void;
}

/** Of every process that opens a folder. */
const SECRETS = createSecrets(Buffer.alloc(32, 7));
const STATE = emptyState(1, 0, { mode: "frozen", rate: 1 });
const CAUSE = { type: "request", name: "test" } as const;

/** What a store is opened with; one that is not kept is gone with its process. */
interface TestStore {
  readonly folder: string;
  readonly world?: string;
  readonly isPersistent?: boolean;
}

/** Opens the rows of a data folder. */
export function openTraceStore({ folder, world = "main", isPersistent = true }: TestStore): TestRows {
  const pool = openPool(folder, isPersistent);
  return openIn(pool, openManifests(pool, SECRETS), world);
}

function openIn(pool: Pool, manifests: Manifests, name: string, source?: StoredImage): TestRows {
  const storage = openWorldStorage({
    pool,
    manifests,
    name,
    initial: STATE,
    reader: () => image.records.reader,
    secrets: SECRETS,
    collections: OBJECT_STORAGE_COLLECTIONS as never,
    ...(source && { source }),
  });
  const { rows, image } = storage;
  let { turn } = image;
  let forks = 0;
  const presentImage = () => ({ ...image, turn });
  return {
    ...rows,
    storage,
    pool,
    manifests,
    write(scope, written) {
      rows.write(scope, written);
      turn += 1;
      storage.persist({ turn, now: 0, cause: CAUSE });
    },
    fork() {
      const from = storage.source(presentImage());
      forks += 1;
      const fork = `${name}-${forks}`;
      manifests.putWorld(fork, {
        manifest: newManifest(manifests.nextOwner(), true, from.manifest),
        from: name,
      });
      return openIn(pool, manifests, fork, from);
    },
    async saveAndLoad(snapshot) {
      const from = storage.source(presentImage());
      manifests.putSnapshot(snapshot, { manifest: from.manifest, of: name, now: "", turn });
      const entry = { manifest: newManifest(manifests.nextOwner(), true, from.manifest), from: snapshot };
      manifests.putWorld(name, entry, () => storage.end());
      await storage.close(undefined);
      return openIn(pool, manifests, name, from);
    },
    reopen: () => openTraceStore({ folder: pool.root, world: name }),
    close: () => pool.files.release(pool.folder(0).slice(0, -2)),
  };
}
