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
import { missingSecrets } from "../../storage/archive/supplied-secrets.ts";
import type { Manifests } from "../../storage/pool/manifests.ts";
import type { Pool } from "../../storage/pool/pool.ts";
import { imageOfNames } from "../../storage/rows/image.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { COLLECTIONS } from "../assembly.ts";
import type { WorldRuntime } from "../worlds/runtime.ts";
import type { SnapshotFacts, Snapshots } from "./snapshots.ts";

/** Snapshots as files that other machines can read. */
export interface SnapshotFiles {
  /** A snapshot as one file, piece by piece; it stays as it is until its last piece was read. */
  export(name: string): Promise<ExportedArchive>;
  /** A world as it is now, under the name that its snapshot would have. */
  exportWorld(runtime: WorldRuntime, of: string, name: string): Promise<ExportedArchive>;
  /** Makes a snapshot of a file; nothing is changed before all of it was read and found whole. */
  import(chunks: AsyncIterable<Uint8Array>, request: ImportRequest): Promise<SnapshotFacts>;
}

/** How a snapshot file is to be taken in. */
export interface ImportRequest {
  /** The name that the file gives when left out. */
  readonly name: string | undefined;
  /** Whether a snapshot of that name may be there already. */
  readonly mayReplace: boolean;
}

/** What snapshot files are made of and become. */
export interface SnapshotFilesParts {
  readonly pool: Pool;
  readonly manifests: Manifests;
  readonly secrets: Secrets;
  readonly bytesMax: number;
  readonly snapshots: Pick<Snapshots, "exportSource" | "refuse" | "registerImported">;
}

/** Each holds memory and open files. */
const TRANSFERS_MAX = 4;

/** Turns snapshots into files and back. */
export function createSnapshotFiles(parts: SnapshotFilesParts): SnapshotFiles {
  const { pool, manifests, secrets, bytesMax, snapshots } = parts;
  const transfers = createTransfers();

  /** Held from here on, whether or not anybody ever reads the first piece. */
  async function exportSource(packed: ExportSource): Promise<ExportedArchive> {
    const release = transfers.begin(manifests.hold(packed.manifest));
    try {
      const archive = await exportArchive(packed, { pool, secrets, bytesMax });
      return { ...archive, chunks: releasing(archive.chunks, release) };
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
        const options = { pool, collections: COLLECTIONS, secrets, bytesMax, prepare, ...request };
        const { world, state, rows, manifest } = await importArchive(chunks, options);
        const { name } = prepared as Required<typeof prepared>;
        // Another request may have taken the name meanwhile.
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

/** Counts files that are read or written at this moment, up to their bound. */
function createTransfers() {
  let count = 0;
  return {
    /** Returns a function that ends the transfer; calling it again does nothing. */
    begin(release: () => void): () => void {
      if (count >= TRANSFERS_MAX) {
        release();
        const message = `${TRANSFERS_MAX} snapshot files are being read or written already.`;
        throw new Refusal(409, "busy", message, "Try again when one of them is done.");
      }
      count += 1;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        count -= 1;
        release();
      };
    },
  };
}

function releasing(chunks: AsyncIterable<Uint8Array>, release: () => void): AsyncIterable<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const over = async (): Promise<IteratorResult<Uint8Array>> => {
    // One that was never begun would not come to its own end.
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
      return: over,
    }),
  };
}
