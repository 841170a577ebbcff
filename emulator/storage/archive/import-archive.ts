import { createWriteStream, mkdirSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { WorldState } from "../../kernel/commit.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Collection } from "../../kernel/table.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { isFullDisk } from "../full-disk.ts";
import { createSealing } from "../journal/sealing.ts";
import { writeState } from "../journal/state.ts";
import { type Head, type NamedRows, type NamedSegment, NOBODY, stateName } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { type Body, bodiesOf, renameBodies } from "./bodies.ts";
import { damaged, ENTRY, type Manifest, readManifest } from "./manifest.ts";
import { createStateReader, type StateReader } from "./record-lines.ts";
import { joinedSegments, traceFileOf } from "./trace-entries.ts";
import { readText, type UnpackedEntry, unpackEntries } from "./unpack.ts";

/** What a snapshot file is read with. */
export interface ImportOptions {
  readonly collections: readonly Collection<never>[];
  /** Those of the data folder. */
  readonly secrets: Secrets;
  readonly bytesMax: number;
  readonly pool: Pool;
  /** Draws the owner in whose folder the world is to lie, once it is known what it is; may refuse it. */
  prepare(manifest: Manifest): number;
}

/** A world read from a file, with a head that is not registered yet. */
export interface ImportedArchive {
  readonly manifest: Manifest;
  readonly state: WorldState;
  readonly head: Head;
  readonly rows: NamedRows;
}

const MANIFEST_BYTES = 64 * 1024;
/** One record may be as long as the body of a request. */
const RECORDS_BYTES = 64 * 1024 * 1024;
/** Room that is left on the disk for what the worlds do meanwhile. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/** Reads a file into the folder of the owner that `prepare` answers; on a refusal what lies there is worth nothing. */
export async function importArchive(
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportedArchive> {
  try {
    return await read(chunks, options);
  } catch (error) {
    if (isFullDisk(error)) throw diskFull();
    if (error instanceof RangeError) throw damaged("it has more records than one world can hold");
    throw error;
  }
}

/** The world without its rows and bodies. */
interface KnownRecords {
  readonly state: WorldState;
  readonly bodies: readonly Body[];
}

/** Where the reading of a file is at. */
interface ImportProgress {
  readonly manifest: Manifest;
  readonly pool: Pool;
  readonly owner: number;
  readonly reader: StateReader;
  /** Known once all records are. */
  known: KnownRecords | undefined;
  nextBody: number;
  /** Each twice: once for each of its files. */
  readonly segments: NamedSegment[];
}

async function read(chunks: AsyncIterable<Uint8Array>, options: ImportOptions): Promise<ImportedArchive> {
  const unpacking = await unpackEntries(chunks, options.bytesMax);
  let progress: ImportProgress | undefined;
  for await (const entry of unpacking.entries) {
    if (progress) await take(progress, entry);
    else progress = await begin(entry, options);
  }
  if (!progress) throw damaged("it is empty");
  unpacking.verify();
  const { manifest, pool, owner, segments } = progress;
  const { state, bodies } = knownRecords(progress);
  if (progress.nextBody < bodies.length) throw damaged("objects of it are missing");
  const rows = { next: manifest.traces_mark, segments: joinedSegments(segments) };
  const file = stateName(owner, 1);
  writeState(pool.path(file), { state: createSealing(options.secrets).state(state), rows });
  const head = { owner: NOBODY, state: file, journals: [], others: [owner] };
  return { manifest, state, rows, head };
}

async function begin(entry: UnpackedEntry, options: ImportOptions): Promise<ImportProgress> {
  if (entry.name !== ENTRY.manifest) throw damaged("it does not begin with a manifest");
  const manifest = readManifest(await readText(entry.content(), entry.size, MANIFEST_BYTES));
  const { pool } = options;
  const owner = options.prepare(manifest);
  mkdirSync(pool.folder(owner), { recursive: true, mode: 0o700 });
  const reader = createStateReader(options.collections, options.secrets);
  return { manifest, pool, owner, reader, known: undefined, nextBody: 0, segments: [] };
}

async function take(progress: ImportProgress, entry: UnpackedEntry): Promise<void> {
  const { name, size } = entry;
  const { manifest, pool, owner, reader, segments } = progress;
  if (name.startsWith(ENTRY.records)) {
    if (progress.known) throw damaged("its parts are in another order");
    return reader.take(await readText(entry.content(), size, RECORDS_BYTES));
  }
  if (name.startsWith(ENTRY.traces)) {
    const { file, segment } = traceFileOf(owner, manifest.traces_mark, name.slice(ENTRY.traces.length), size);
    segments.push(segment);
    return write(entry, pool.path(file));
  }
  const body = knownRecords(progress).bodies[progress.nextBody];
  if (!body || name !== `${ENTRY.objects}${progress.nextBody}` || size !== body.size)
    throw damaged(`it has a part that it cannot have (${JSON.stringify(name.slice(0, 100))})`);
  progress.nextBody += 1;
  await write(entry, pool.path(body.file));
}

function knownRecords(progress: ImportProgress): KnownRecords {
  if (progress.known) return progress.known;
  const state = progress.reader.state();
  const records = renameBodies(state.records, progress.owner);
  progress.known = { state: { ...state, records }, bodies: bodiesOf(records) };
  return progress.known;
}

/** No file is written twice: what is there already came from the same archive. */
async function write({ size, content }: UnpackedEntry, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize < size + RESERVE_BYTES) throw diskFull();
  try {
    await pipeline(Readable.from(content()), createWriteStream(path, { flags: "wx", mode: 0o600 }));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? damaged("a part of it is there twice") : error;
  }
}

function diskFull(): Refusal {
  return new Refusal(
    413,
    "disk_full",
    "The disk under the data folder has no room for the snapshot. Nothing was imported.",
    "Make room there, then import it again.",
  );
}
