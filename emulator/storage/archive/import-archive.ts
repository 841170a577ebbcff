import { createWriteStream, mkdirSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { WorldState } from "../../kernel/commit.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { isFullDisk } from "../../kernel/system-refusal.ts";
import type { Collection } from "../../kernel/table.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { createSealing } from "../journal/sealing.ts";
import { writeState } from "../journal/state.ts";
import type { BodyOnDisk } from "../objects/opened-body.ts";
import { type NamedSegment, NOBODY, stateName } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { bodiesOf, renameBodies } from "./bodies.ts";
import { type ArchivedWorld, damaged, ENTRY, readManifest } from "./manifest.ts";
import { createStateReader, type StateReader } from "./record-lines.ts";
import { addTraceFile, sealedContent } from "./trace-entries.ts";
import { readText, type UnpackedEntry, unpackEntries } from "./unpack.ts";

export interface ImportOptions {
  readonly collections: readonly Collection<never>[];
  readonly secrets: Secrets;
  readonly maxBytes: number;
  readonly pool: Pool;
  /** Returns the owner in whose folder the world is written; may refuse the world. */
  prepare(world: ArchivedWorld): number;
}

const MAX_MANIFEST_BYTES = 64 * 1024;
/** One record may be as long as the body of a request. */
const MAX_RECORDS_BYTES = 64 * 1024 * 1024;
/** Disk space that stays free for the worlds that are running. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/**
 * Reads a file into the folder of the owner that `prepare` returns; after an error the caller removes that folder. The manifest is
 * not registered yet.
 */
export async function importArchive(chunks: AsyncIterable<Uint8Array>, options: ImportOptions) {
  try {
    return await read(chunks, options);
  } catch (error) {
    if (isFullDisk(error)) throw diskFull();
    if (error instanceof RangeError) throw damaged("it has more records than a world can hold");
    throw error;
  }
}

/** The world without its rows and bodies. */
interface ImportedRecords {
  readonly state: WorldState;
  readonly bodies: readonly BodyOnDisk[];
}

interface ImportProgress {
  readonly world: ArchivedWorld;
  readonly pool: Pool;
  readonly owner: number;
  readonly reader: StateReader;
  /** Set when all records have been read. */
  imported: ImportedRecords | undefined;
  nextBody: number;
  /** By the name of their data and index. */
  readonly segments: Map<string, NamedSegment>;
}

async function read(chunks: AsyncIterable<Uint8Array>, options: ImportOptions) {
  let progress: ImportProgress | undefined;
  for await (const entry of unpackEntries(chunks, options.maxBytes)) {
    if (progress) await importEntry(progress, entry);
    else progress = await begin(entry, options);
  }
  if (!progress) throw damaged("it is empty");
  const { world, pool, owner, segments } = progress;
  const { state, bodies } = endRecords(progress);
  if (progress.nextBody < bodies.length) throw damaged("objects are missing");
  const rows = { next: world.traces_mark, segments: [...segments.values()] };
  const file = stateName(owner, 1);
  writeState(pool, file, { state: createSealing(options.secrets).state(state), rows });
  const manifest = { owner: NOBODY, state: file, journals: [], others: [owner] };
  return { world, state, rows, manifest };
}

async function begin(entry: UnpackedEntry, options: ImportOptions): Promise<ImportProgress> {
  if (entry.name !== ENTRY.manifest) throw damaged("it does not start with a manifest");
  const { world } = readManifest(await readText(entry.content(), entry.size, MAX_MANIFEST_BYTES));
  if (!world) throw withoutWorld();
  const { pool } = options;
  const owner = options.prepare(world);
  mkdirSync(pool.folder(owner), { recursive: true, mode: 0o700 });
  const reader = createStateReader(options.collections, options.secrets);
  return { world, pool, owner, reader, imported: undefined, nextBody: 0, segments: new Map() };
}

async function importEntry(progress: ImportProgress, entry: UnpackedEntry): Promise<void> {
  const { name, size } = entry;
  const { world, pool, owner, reader, segments } = progress;
  if (name.startsWith(ENTRY.recording)) return;
  if (name.startsWith(ENTRY.records)) {
    if (progress.imported) throw damaged("its entries are in the wrong order");
    return reader.read(await readText(entry.content(), size, MAX_RECORDS_BYTES));
  }
  if (name.startsWith(ENTRY.traces)) {
    const rowFile = { name: name.slice(ENTRY.traces.length), size };
    const file = addTraceFile(segments, owner, world.traces_mark, rowFile);
    const content = () => sealedContent(pool, file, entry.content());
    return write({ ...entry, content }, pool.path(file));
  }
  const body = endRecords(progress).bodies[progress.nextBody];
  if (!body || name !== `${ENTRY.objects}${progress.nextBody}` || size !== body.size)
    throw damaged(`it has an unexpected entry (${JSON.stringify(name.slice(0, 100))})`);
  progress.nextBody += 1;
  await write(entry, pool.path(body.file));
}

/** Ends the reading of records; bodies follow them. */
function endRecords(progress: ImportProgress): ImportedRecords {
  if (progress.imported) return progress.imported;
  const state = progress.reader.state();
  const records = renameBodies(state.records, progress.owner);
  progress.imported = { state: { ...state, records }, bodies: bodiesOf(records) };
  return progress.imported;
}

/** Refuses a file that exists: only the same archive can have written it. */
async function write({ size, content }: UnpackedEntry, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize < size + RESERVE_BYTES) throw diskFull();
  try {
    await pipeline(Readable.from(content()), createWriteStream(path, { flags: "wx", mode: 0o600 }));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? damaged("it has an entry twice") : error;
  }
}

function diskFull(): Refusal {
  return new Refusal(
    413,
    "disk_full",
    "The disk of the data folder has too little free space for the snapshot. Nothing was imported.",
    "Free disk space, then import the snapshot again.",
  );
}

function withoutWorld(): Refusal {
  return new Refusal(
    422,
    "no_world",
    "The file is a capsule without a snapshot: its world starts from the settings. Nothing was imported.",
    "Run `emulator replay <file>` to repeat its requests.",
  );
}
