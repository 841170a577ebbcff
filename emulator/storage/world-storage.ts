import { truncateSync } from "node:fs";
import type { Commit, WorldState } from "../kernel/commit.ts";
import { imageOf, type WorldImage } from "../kernel/image.ts";
import type { Collection } from "../kernel/table.ts";
import type { Reader, Secrets } from "../subjects/turn.ts";
import type { Before, Moment, Older, SavedHistory } from "./history/history.ts";
import { bodiesIn, historyWriter, olderOf } from "./history/history-file.ts";
import type { JournalEnd } from "./journal/journal.ts";
import { createPendingLines } from "./journal/line.ts";
import { readManifest } from "./journal/read-manifest.ts";
import { createSealing } from "./journal/sealing.ts";
import { manifestOf, writeState } from "./journal/state.ts";
import { WorldJournal } from "./journal/world-journal.ts";
import { Bodies } from "./objects/bodies.ts";
import type { Manifests } from "./pool/manifests.ts";
import {
  type Manifest,
  NO_ROWS,
  numberOf,
  ownerOf,
  sealedManifest,
  stateName,
  type WorldEntry,
} from "./pool/names.ts";
import type { Pool } from "./pool/pool.ts";
import { createRound } from "./round.ts";
import { imageOfNames, type RowsImage } from "./rows/image.ts";
import { cutTails } from "./rows/row-files.ts";
import { openRowStore } from "./rows/store.ts";

/** The state that forks start from: names of files and what is in memory. Never changed. */
export interface StoredImage {
  readonly manifest: Manifest;
  readonly image: WorldImage;
  readonly rows: RowsImage;
  /** The history before a fork of a world; a snapshot has none. */
  readonly before?: Before;
}

/** The state at the end of a world that the next start reads from the journal. */
export const IN_JOURNAL = "in journal";

/** Undefined for a world whose pending data is dropped. */
export type LastState = WorldState | typeof IN_JOURNAL | undefined;

/** The stored records, rows and object bodies of one world. */
export type WorldStorage = ReturnType<typeof openWorldStorage>;

/** How to open the storage of a world. The list of worlds already has an entry with its name. */
export interface WorldStorageOptions {
  readonly pool: Pool;
  readonly manifests: Manifests;
  readonly name: string;
  /** The state that its manifest leads to, if it is in memory. */
  readonly source?: StoredImage;
  /** The state of a world that never had a turn. */
  readonly initial: WorldState;
  readonly collections: readonly Collection<never>[];
  /** Reads the current records. */
  readonly reader: () => Reader;
  /** Encryption with the key of the data folder. */
  readonly secrets: Secrets;
  /** Receives bodies that no record names any longer, and removes them later with `bodies.remove`. */
  readonly retain?: (files: readonly string[], bytes: number) => void;
  /** Called when a write failed. */
  readonly onFailure?: (error: Error) => void;
  readonly foldAtBytes?: number;
  readonly largeBytes?: number;
}

/**
 * Rows of an ephemeral world are pending in memory up to this size, until they are read from files. A larger buffer is slower,
 * because a small one stays in the caches of the processor.
 */
const MAX_EPHEMERAL_BYTES = 256 * 1024;
/** Pending rows of this size are written before the next request, for the same reason. */
const MUCH_BYTES = 128 * 1024;

/** Opens the files of a world that its manifest leads to. */
export function openWorldStorage(options: WorldStorageOptions) {
  const opened = openManifest(options);
  const round = createRound(() => {
    // The folder of an ended world may be removed already and must not be created again.
    if (!hasEnded) writePending(files);
  }, options.onFailure);
  const files = openFiles(options, opened, round.due);
  const { rows, bodies, journal, lines } = files;
  let hasEnded = false;
  if (!opened.isClean) bodies.mirror.rebuild();

  /** Writes pending data. Later writes do not change the files that the returned manifest names. */
  function seal(): Manifest {
    round.flush();
    bodies.seal();
    return sealedManifest(journal?.manifest() ?? opened.manifest);
  }

  return {
    /** The records at the start. */
    image: opened.image,
    rows,
    bodies,
    /** True for a world that has had no turn yet. */
    isFresh: opened.isFresh,
    /** The history that an earlier process has saved. */
    older: files.older,
    /** Writes a commit with all rows so far. When it returns, both survive the end of the process. */
    persist(commit: Commit): void {
      lines?.add(commit);
      if (journal) round.flush();
      else bodies.carryOut();
    },
    /** Writes a commit at the end of this round of the event loop. It must not be acknowledged before `flushed` resolves. */
    enqueue(commit: Commit): void {
      lines?.add(commit);
      round.due(rows.waitingBytes() > MUCH_BYTES);
    },
    /** Writes all pending commits and rows now. */
    flush: round.flush,
    /** Resolves when all pending commits are written; undefined when none are pending, or when nothing is persisted. */
    flushed: () => (journal ? round.flushed() : undefined),
    /** Resolves when a fork may start: if forks were faster than folds, the number of journals would grow without end. */
    shortened: () => journal?.shortened(),
    /** The state that forks start from. The world must be at rest. Apart from the flush, only names of files are copied. */
    source: (present: WorldImage): StoredImage => ({ manifest: seal(), image: present, rows: rows.image() }),
    /** The same for an earlier state; in a persistent pool its records are written to a file. */
    sourceAsOf({ image: earlier, rows: mark }: Pick<Moment, "image" | "rows">): StoredImage {
      const { others } = seal();
      const source = { image: earlier, rows: rows.imageAsOf(mark) };
      return { ...source, manifest: manifestOf(options, source, others) };
    },
    /** Ends the world. Pending commits are dropped, and its files may be removed. */
    end(): void {
      hasEnded = true;
      bodies.end();
    },
    /** Whether writing the last state would take seconds, so that the end should be `IN_JOURNAL`. */
    isLarge: () => journal?.isLarge === true,
    /** Writes the last state, if any, with the history if that has changed, and closes the files. */
    async close(state: LastState, history?: () => SavedHistory | undefined): Promise<void> {
      bodies.end();
      if (state) round.flush();
      await files.close(state, history);
      hasEnded = true;
    },
  };
}

type WorldFiles = ReturnType<typeof openFiles>;

/** Opens the files of a world. An ephemeral world has no journal. */
function openFiles(options: WorldStorageOptions, opened: OpenedManifest, onPending: () => void) {
  const { pool, manifests, name, reader, retain, foldAtBytes, largeBytes } = options;
  const { manifest, lineBytes } = opened;
  const { owner } = manifest;
  const sealing = createSealing(options.secrets);
  const save = manifestSaver(manifests, name);
  const appending = () => journal?.begin();
  const rows = openRowStore({ pool, owner, image: opened.rows, changed: onPending, appending });
  const bodies = new Bodies({ pool, owner, world: name, reader, onPending, retain });
  const journal = pool.isPersistent
    ? new WorldJournal({ pool, manifest, lineBytes, save, folds: manifests.folds, foldAtBytes, largeBytes })
    : undefined;
  const past = { pool, manifest, sealing, collections: options.collections, until: opened.image };
  const older = journal && !options.source ? olderOf(past) : undefined;
  const release = journal && holdBeginning(options, journal.manifest(), older);
  return {
    rows,
    bodies,
    older,
    journal,
    lines: journal && createPendingLines(sealing, rows.mark),
    async close(state: LastState, history?: () => SavedHistory | undefined): Promise<void> {
      if (state === IN_JOURNAL) await journal?.closeAsJournal();
      else {
        const last = state && { state: sealing.state(state), rows: rows.names() };
        await journal?.close(last, historyWriter(pool, sealing, history));
      }
      release?.();
      pool.files.release(pool.folder(owner));
    },
  };
}

/** Rows first: a row counts only once a journal line says so. All lines are appended in one write. */
function writePending({ rows, bodies, journal, lines }: WorldFiles): void {
  if (journal || rows.waitingBytes() > MAX_EPHEMERAL_BYTES) rows.appendToFiles();
  const batch = lines?.take(rows.takeWritten());
  if (batch) journal?.appendLines(batch);
  bodies.carryOut();
}

/** Keeps the files that the world started with: reads of its history may need them after the world does not. */
function holdBeginning(
  { manifests, source }: WorldStorageOptions,
  manifest: Manifest,
  older: Older | undefined,
): () => void {
  if (manifest.others.length === 0 && !older) return () => undefined;
  const sealed = sealedManifest(manifest);
  const bodies = bodiesIn(source?.before?.segments ?? []);
  const others = [...sealed.others, ...bodies.map(ownerOf)];
  return manifests.hold({
    ...sealed,
    others,
    bodies,
    ...(manifest.history && { history: manifest.history }),
  });
}

/** Saves a manifest, unless a new world has taken the name in the meantime. */
function manifestSaver(manifests: Manifests, name: string): (manifest: Manifest) => void {
  return (manifest) => {
    const entry = manifests.worlds.get(name);
    if (entry?.manifest.owner === manifest.owner) manifests.putWorld(name, { ...entry, manifest });
  };
}

interface OpenedManifest extends StoredImage {
  /** Bytes of the lines of its journal. */
  readonly lineBytes: number;
  readonly isFresh: boolean;
  /** False when its last process may have been killed. */
  readonly isClean: boolean;
}

function openManifest(options: WorldStorageOptions): OpenedManifest {
  const { pool, manifests, name, source, initial, collections, secrets } = options;
  const { manifest } = manifests.worlds.get(name) as WorldEntry;
  if (source || !pool.isPersistent) pool.discard(pool.objectsFolder(name));
  if (source) return { ...source, manifest, lineBytes: 0, isFresh: false, isClean: true };
  const saved = pool.isPersistent
    ? readOwn(pool, manifest, initial)
    : { state: initial, rows: NO_ROWS, lineBytes: 0 };
  const { state, rows, lineBytes } = saved;
  const isClean = manifest.state !== null && !manifest.journals.at(-1)?.isBegun;
  // This happens before the process writes a row, whose number could make rows of lost turns count.
  if (!isClean) cutTails(pool, rows);
  const ends = { rows: imageOfNames(pool, rows), lineBytes };
  if (state.turn > 0) {
    const image = imageOf(createSealing(secrets).openState(state), collections);
    return { ...ends, manifest, image, isFresh: false, isClean };
  }
  // The world had no turn, so the configuration of this start decides its initial state.
  pool.discard(pool.objectsFolder(name));
  const fresh = pool.isPersistent ? withInitialState(pool, manifest, initial) : manifest;
  if (fresh !== manifest) manifestSaver(manifests, name)(fresh);
  return { ...ends, manifest: fresh, image: imageOf(initial, collections), isFresh: true, isClean: true };
}

/** Reads the state of a world, and drops a torn line of a killed process, so that the next line does not continue it. */
function readOwn(pool: Pool, manifest: Manifest, initial: WorldState) {
  let lineBytes = 0;
  const onEnd: JournalEnd = (end, path) => {
    lineBytes = end;
    truncateSync(path, end);
  };
  return { ...readManifest(pool, manifest, initial, onEnd), lineBytes };
}

function withInitialState(pool: Pool, manifest: Manifest, initial: WorldState): Manifest {
  const own = manifest.journals.at(-1)?.file ?? "";
  const state = stateName(manifest.owner, numberOf(own) - 1);
  writeState(pool, state, { state: initial, rows: NO_ROWS });
  return { ...manifest, state };
}
