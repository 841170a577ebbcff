import type { Configuration } from "../../config/configuration.ts";
import { imageOf } from "../../kernel/image.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import {
  type ExportedArchive,
  type ExportSource,
  exportArchive,
} from "../../storage/archive/export-archive.ts";
import { importArchive } from "../../storage/archive/import-archive.ts";
import type { ArchivedWorld } from "../../storage/archive/manifest.ts";
import type { Manifests } from "../../storage/pool/manifests.ts";
import type { Pool } from "../../storage/pool/pool.ts";
import { imageOfNames } from "../../storage/rows/image.ts";
import { refuseIfAbandoned } from "../../subjects/abandoned.ts";
import type { SnapshotImportRequest, SnapshotView } from "../../subjects/control-operation.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { COLLECTIONS } from "../assembly.ts";
import type { WorldRuntime } from "../worlds/runtime.ts";
import type { Snapshots } from "./snapshots.ts";
import { missingSecrets } from "./supplied-secrets.ts";

/** Snapshots as files that other machines can read. */
export interface SnapshotFiles {
  /** A snapshot as one file, in chunks. Its data stays until the last chunk was read. */
  export(name: string): Promise<ExportedArchive>;
  /** The current state of a world, as a snapshot of this name. */
  exportWorld(runtime: WorldRuntime, of: string, name: string): Promise<ExportedArchive>;
  /** Creates a snapshot from a file. Changes nothing until the whole file was read and verified. */
  import(chunks: AsyncIterable<Uint8Array>, request: SnapshotImportRequest): Promise<SnapshotView>;
}

export interface SnapshotFilesParts {
  readonly pool: Pool;
  readonly manifests: Manifests;
  readonly secrets: Secrets;
  readonly configuration: Pick<Configuration, "settings">;
  readonly snapshots: Pick<Snapshots, "exportSource" | "refuse" | "registerImported">;
}

/** Exports snapshots to files and imports them. */
export function createSnapshotFiles(parts: SnapshotFilesParts): SnapshotFiles {
  const { pool, manifests, secrets, configuration, snapshots } = parts;
  const { snapshot_bytes: maxBytes, snapshot_transfers: maxTransfers } = configuration.settings.limits;
  const transfers = createTransfers(maxTransfers);

  /** Holds the snapshot's data from now on, even if nobody reads the first chunk. */
  async function exportSource(packed: ExportSource): Promise<ExportedArchive> {
    const release = transfers.begin(manifests.hold(packed.manifest));
    try {
      const archive = await exportArchive(packed, { pool, secrets, maxBytes });
      return { ...archive, chunks: withRelease(archive.chunks, release) };
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    export: async (name) => exportSource(snapshots.exportSource(name)),
    exportWorld: async (runtime, of, name) =>
      runtime.whenIdle((source) => exportSource({ ...source, name, of })),
    async import(chunks, request) {
      const prepared: { name?: string; owner?: number } = {};
      const end = transfers.begin(() => undefined);
      const prepare = (world: ArchivedWorld) => {
        prepared.name = request.name ?? world.name;
        snapshots.refuse(prepared.name, request.mayReplace);
        prepared.owner = manifests.nextOwner();
        return prepared.owner;
      };
      try {
        const options = { pool, collections: COLLECTIONS, secrets, maxBytes, prepare, ...request };
        const { world, state, rows, manifest } = await importArchive(chunks, options);
        refuseIfAbandoned(request.isAbandoned);
        const { name } = prepared as Required<typeof prepared>;
        // Another request may have used the name meanwhile.
        snapshots.refuse(name, request.mayReplace);
        const { now, turn } = state;
        const entry = {
          manifest,
          of: world.of,
          now: formatInstant(now),
          turn,
          missing: missingSecrets(state, secrets),
        };
        const image = { manifest, image: imageOf(state, COLLECTIONS), rows: imageOfNames(pool, rows) };
        return snapshots.registerImported(name, entry, image);
      } catch (error) {
        if (prepared.owner !== undefined) pool.discard(pool.folder(prepared.owner));
        throw error;
      } finally {
        end();
      }
    },
  };
}

/** Counts the files that are being read or written, up to `limits.snapshot_transfers`: each uses memory and open files. */
function createTransfers(maxTransfers: number) {
  let count = 0;
  return {
    /** Returns a function that ends the transfer; calling it again does nothing. */
    begin(release: () => void): () => void {
      if (count >= maxTransfers) {
        release();
        const message = `${count} snapshot files are being read or written, which is the maximum.`;
        throw new Refusal(
          409,
          "busy",
          message,
          "Try again when one of them is finished; limits.snapshot_transfers sets the maximum.",
        );
      }
      count += 1;
      let hasEnded = false;
      return () => {
        if (hasEnded) return;
        hasEnded = true;
        count -= 1;
        release();
      };
    },
  };
}

function withRelease(chunks: AsyncIterable<Uint8Array>, release: () => void): AsyncIterable<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const end = async (): Promise<IteratorResult<Uint8Array>> => {
    // A generator that never started does not run its own cleanup.
    await iterator.return?.();
    release();
    return { done: true, value: undefined };
  };
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const result = await iterator.next();
          if (result.done) release();
          return result;
        } catch (error) {
          release();
          throw error;
        }
      },
      return: end,
    }),
  };
}
