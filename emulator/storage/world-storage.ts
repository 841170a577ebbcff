import type { Commit, WorldState } from "../kernel/commit.ts";
import { imageOf, type WorldImage } from "../kernel/image.ts";
import type { Collection } from "../kernel/table.ts";
import type { Reader, Secrets } from "../subjects/turn.ts";
import type { Before, Moment, Older, SavedHistory } from "./history/history.ts";
import { bodiesIn, writeHistory } from "./history/history-file.ts";
import { olderOf } from "./history/older.ts";
import { dropTorn, type JournalEnd } from "./journal/journal.ts";
import { createPendingLines } from "./journal/line.ts";
import { readManifest } from "./journal/read-manifest.ts";
import { createSealing, type Sealing } from "./journal/sealing.ts";
import { writeState } from "./journal/state.ts";
import { type HistoryWriter, openWorldJournal, type WorldJournal } from "./journal/world-journal.ts";
import { type Bodies, openBodies } from "./objects/bodies.ts";
import type { WorldEntry } from "./pool/entries.ts";
import type { Manifests } from "./pool/manifests.ts";
import { type Manifest, NO_ROWS, numberOf, ownerOf, sealedManifest, stateName } from "./pool/names.ts";
import type { Pool } from "./pool/pool.ts";
import { createRound } from "./round.ts";
import { imageOfNames, type RowsImage } from "./rows/image.ts";
import { cutTails } from "./rows/row-files.ts";
import { openRowStore, type RowStore } from "./rows/store.ts";
import { manifestOf } from "./write-manifest.ts";

/** The state that forks start from: names of files and what is in memory. Never changed. */
export interface StoredImage {
  readonly manifest: Manifest;
  readonly image: WorldImage;
  readonly rows: RowsImage;
  /** What a fork has behind it; of a world, not of a snapshot. */
  readonly before?: Before;
}

/** The stored records, rows and object bodies of one world. */
export interface WorldStorage {
  /** What it begins with. */
  readonly image: WorldImage;
  readonly rows: RowStore;
  readonly bodies: Bodies;
  /** True for a world that has seen no turn yet. */
  readonly isFresh: boolean;
  /** Writes a commit with all rows so far. When it returns, both survive the end of the process. */
  persist(commit: Commit): void;
  /** Writes a commit at the end of this round of the event loop. It must not be acknowledged before `flushed` resolves. */
  enqueue(commit: Commit): void;
  /** Writes all pending commits and rows now. */
  flush(): void;
  /** Resolves when all pending commits are written; undefined when none are pending, or when nothing is persisted. */
  flushed(): Promise<void> | undefined;
  /** Resolves when a fork may start: forks faster than the folding of journals would collect ever more journals. */
  shortened(): Promise<void> | undefined;
  /** What forks start from. The world must be at rest. Copies names of files; no file operation but the flush. */
  source(image: WorldImage): StoredImage;
  /** The same for an earlier state; in a persistent pool its records are written to a file. */
  sourceAsOf(past: Pick<Moment, "image" | "rows">): StoredImage;
  /** Ends the world. Pending commits are dropped, and its files may be removed. */
  end(): void;
  /** The history that an earlier process has saved. */
  readonly older: Older | undefined;
  /** Writes the last state, if any, with the history if that has changed, and closes the files. */
  close(state: WorldState | undefined, history?: () => SavedHistory | undefined): Promise<void>;
}

/** What the storage of a world is opened with; the manifests have an entry of its name already. */
export interface WorldStorageOptions {
  readonly pool: Pool;
  readonly manifests: Manifests;
  readonly name: string;
  /** What its manifest leads to, when that is in memory. */
  readonly source?: StoredImage;
  /** How it begins if it never had a turn. */
  readonly initial: WorldState;
  readonly collections: readonly Collection<never>[];
  /** Its records as they are now. */
  readonly reader: () => Reader;
  /** Those of the data folder. */
  readonly secrets: Secrets;
  /** Takes bodies that no record names any more, until it has `bodies.remove` take them away. */
  readonly retain?: (files: readonly string[], bytes: number) => void;
  /** Called when a write failed. */
  readonly onFailure?: (error: Error) => void;
  readonly foldAtBytes?: number;
}

/**
 * Rows of a world that is not kept wait in memory, up to so many bytes, until others want to read them from its files. More would
 * take longer: what is written again and again stays in the caches of the processor.
 */
const MAX_EPHEMERAL_BYTES = 256 * 1024;
/** So many bytes of rows wait for no other request, for the same reason. */
const MUCH_BYTES = 128 * 1024;

/** Opens the files of a world, as its manifest leads to them. */
export function openWorldStorage(options: WorldStorageOptions): WorldStorage {
  const { pool, manifests, name, reader, retain, onFailure } = options;
  const save = manifestSaver(manifests, name);
  const opened = openManifest(options, save);
  const { manifest, image, isFresh, isClean } = opened;
  const round = createRound(writePending, onFailure);
  const { owner } = manifest;
  const sealing = createSealing(options.secrets);
  const appending = () => journal?.begin();
  const rows = openRowStore({ pool, owner, image: opened.rows, changed: round.due, appending });
  const bodies = openBodies({ pool, owner, world: name, reader, onPending: round.due, retain });
  const journal = pool.isPersistent ? openJournalOf(options, opened, save) : undefined;
  const lines = journal && createPendingLines(sealing, rows.mark);
  const older = journal && olderIn(options, opened);
  const release = journal && holdBeginning(options, journal.manifest(), older);
  let isOver = false;
  if (!isClean) bodies.rebuildCopy();

  /** Rows first: a row counts only once a journal line says so. All lines are appended in one write. */
  function writePending(): void {
    // Its folder may be removed already and must not be created again.
    if (isOver) return;
    if (journal || rows.waitingBytes() > MAX_EPHEMERAL_BYTES) rows.appendToFiles();
    const batch = lines?.take(rows.takeWritten());
    if (batch) journal?.appendLines(batch);
    bodies.carryOut();
  }

  /** Writes what waits; later writes do not change what the manifest returned names. */
  function seal(): Manifest {
    round.flush();
    bodies.seal();
    return sealedManifest(journal?.manifest() ?? manifest);
  }

  return {
    image,
    rows,
    bodies,
    isFresh,
    older,
    persist(commit) {
      lines?.add(commit);
      if (journal) round.flush();
      else bodies.carryOut();
    },
    enqueue(commit) {
      lines?.add(commit);
      round.due(rows.waitingBytes() > MUCH_BYTES);
    },
    flush: round.flush,
    flushed: () => (journal ? round.flushed() : undefined),
    shortened: () => journal?.shortened(),
    source: (present) => ({ manifest: seal(), image: present, rows: rows.image() }),
    sourceAsOf({ image: past, rows: mark }) {
      const { others } = seal();
      const source = { image: past, rows: rows.imageAsOf(mark) };
      return { ...source, manifest: manifestOf(options, source, others) };
    },
    end() {
      isOver = true;
      bodies.end();
    },
    async close(state, history) {
      bodies.end();
      if (state) round.flush();
      const last = state && { state: sealing.state(state), rows: rows.names() };
      await journal?.close(last, historyWriter(pool, sealing, history));
      isOver = true;
      release?.();
      pool.files.release(pool.folder(owner));
    },
  };
}

/** What it began with may still be read: its past names files that it needs no longer itself. */
function holdBeginning(
  { manifests, source }: WorldStorageOptions,
  manifest: Manifest,
  older: Older | undefined,
): () => void {
  if (manifest.others.length === 0 && !older) return () => undefined;
  const { history: past } = manifest;
  const sealed = sealedManifest(manifest);
  const bodies = bodiesIn(source?.before?.segments ?? []);
  const others = [...sealed.others, ...bodies.map(ownerOf)];
  return manifests.hold({ ...sealed, others, bodies, ...(past && { history: past }) });
}

function olderIn(
  { pool, collections, secrets, source }: WorldStorageOptions,
  { manifest, image, isClean }: Pick<OpenedManifest, "manifest" | "image" | "isClean">,
): Older | undefined {
  if (source) return undefined;
  const sealing = createSealing(secrets);
  return olderOf({ pool, manifest, sealing, collections, until: image }, isClean);
}

/** A history that has not gone on stays in its file; it is made only where it is written, since that takes long. */
function historyWriter(
  pool: Pool,
  sealing: Sealing,
  kept: () => SavedHistory | undefined = () => undefined,
): HistoryWriter {
  return ({ history: past, others }, file) => {
    const history = kept();
    if (!history) return { past, owners: others };
    writeHistory(pool.path(file), history, sealing);
    const { turn, now } = history.first.image;
    return { past: { file, turn, now }, owners: bodiesIn(history.segments).map(ownerOf) };
  };
}

/** Another incarnation of the world may have taken its name meanwhile. */
function manifestSaver(manifests: Manifests, name: string): (manifest: Manifest) => void {
  return (manifest) => {
    const entry = manifests.worlds.get(name);
    if (entry?.manifest.owner === manifest.owner) manifests.putWorld(name, { ...entry, manifest });
  };
}

function openJournalOf(
  { pool, manifests: { folds }, foldAtBytes }: WorldStorageOptions,
  opened: Pick<OpenedManifest, "manifest" | "lineBytes">,
  save: (manifest: Manifest) => void,
): WorldJournal {
  return openWorldJournal({
    pool,
    manifest: opened.manifest,
    lineBytes: opened.lineBytes,
    save,
    folds,
    ...(foldAtBytes !== undefined && { foldAtBytes }),
  });
}

interface OpenedManifest extends StoredImage {
  /** Of the lines of its journal. */
  readonly lineBytes: number;
  readonly isFresh: boolean;
  /** False when its last process may not have ended as it should. */
  readonly isClean: boolean;
}

function openManifest(options: WorldStorageOptions, save: (manifest: Manifest) => void): OpenedManifest {
  const { pool, manifests, name, source, initial, collections, secrets } = options;
  const { manifest } = manifests.worlds.get(name) as WorldEntry;
  if (source || !pool.isPersistent) pool.discard(pool.objectsFolder(name));
  if (source) return { ...source, manifest, lineBytes: 0, isFresh: false, isClean: true };
  const stored = pool.isPersistent
    ? readOwn(pool, manifest, initial)
    : { state: initial, rows: NO_ROWS, lineBytes: 0 };
  const { state, rows, lineBytes } = stored;
  const isClean = manifest.state !== null && manifest.journals.length === 1 && !manifest.journals[0]?.isBegun;
  // Before any row of this process, whose number could make those of lost turns count.
  if (!isClean) cutTails(pool, rows);
  if (state.turn > 0) {
    return {
      manifest,
      image: imageOf(createSealing(secrets).opened(state), collections),
      rows: imageOfNames(pool, rows),
      lineBytes,
      isFresh: false,
      isClean,
    };
  }
  // Ended before its first turn: the configuration of this start decides its initial state.
  pool.discard(pool.objectsFolder(name));
  const begun = pool.isPersistent ? withInitialState(pool, manifest, initial) : manifest;
  if (begun !== manifest) save(begun);
  return {
    manifest: begun,
    image: imageOf(initial, collections),
    rows: imageOfNames(pool, rows),
    lineBytes,
    isFresh: true,
    isClean: true,
  };
}

/** What a killed process has not written whole is dropped, so that the next line does not continue it. */
function readOwn(pool: Pool, manifest: Manifest, initial: WorldState) {
  let lineBytes = 0;
  const onEnd: JournalEnd = (end, torn, path) => {
    lineBytes = end;
    dropTorn(end, torn, path);
  };
  return { ...readManifest(pool, manifest, initial, onEnd), lineBytes };
}

function withInitialState(pool: Pool, manifest: Manifest, initial: WorldState): Manifest {
  const own = manifest.journals.at(-1)?.file ?? "";
  const state = stateName(manifest.owner, numberOf(own) - 1);
  writeState(pool.path(state), { state: initial, rows: NO_ROWS });
  return { ...manifest, state };
}
