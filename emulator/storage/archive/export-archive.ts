import type { WorldImage } from "../../kernel/image.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { DESTINATIONS } from "../../subjects/destinations/records.ts";
import { s3Credentials } from "../../subjects/object-storage/records.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { damagedBodies } from "../objects/opened-body.ts";
import type { Pool } from "../pool/pool.ts";
import { namesIn } from "../rows/image.ts";
import { checkRows } from "../rows/row-files.ts";
import type { StoredImage } from "../world-storage.ts";
import { bodiesOf, bodyEntries } from "./bodies.ts";
import { ENTRY, manifestOf } from "./manifest.ts";
import { type PackedEntry, packEntries, textEntry } from "./pack.ts";
import { recordEntries } from "./record-lines.ts";
import { createSecretStripper, type SecretStripper } from "./secret-stripping.ts";
import { traceEntries } from "./trace-entries.ts";
import { tooLarge } from "./unpack.ts";

/** A world at rest. Its manifest has to be held until the last chunk was read. */
export interface ExportSource extends StoredImage {
  readonly name: string;
  /** The world that the snapshot was taken of. */
  readonly of: string;
}

/** A snapshot file that is being written. Nothing is read before the first chunk is requested. */
export interface ExportedArchive {
  /** The number of records that are exported without their credentials. */
  readonly leftOut: { readonly destinations: number; readonly keys: number };
  readonly chunks: AsyncIterable<Uint8Array>;
}

const ENTRY_OVERHEAD_BYTES = 1024;

/** Exports a world at rest as one file. Rejects before the first chunk when the world cannot be exported. */
export async function exportArchive(
  source: ExportSource,
  { pool, secrets, maxBytes }: { pool: Pool; secrets: Secrets; maxBytes: number },
): Promise<ExportedArchive> {
  const { image, name, of } = source;
  const bodies = bodiesOf(image.records.storedRecords());
  const names = namesIn(source.rows);
  const rows = traceEntries(ENTRY.traces, pool, names);
  refuseTooLarge([...rows, ...bodies], maxBytes);
  for await (const damage of damagedBodies(pool, bodies)) throw damage;
  checkRows(pool, names, (damage) => {
    throw damage;
  });
  const { turn, seed } = image;
  const now = formatInstant(image.now);
  const manifest = manifestOf({ name, of, now, turn, seed, traces_mark: source.rows.next });
  const strip = createSecretStripper(secrets);

  function* entries(): Generator<PackedEntry> {
    yield textEntry(ENTRY.manifest, JSON.stringify(manifest));
    yield* recordEntries(ENTRY.records, image, strip);
    yield* rows;
    yield* bodyEntries(ENTRY.objects, pool, bodies);
  }

  return {
    leftOut: countLeftOut(image, strip),
    chunks: packEntries(entries(), new Date(image.now)),
  };
}

function refuseTooLarge(parts: readonly { readonly size: number }[], maxBytes: number): void {
  const bytes = parts.reduce((sum, { size }) => sum + size + ENTRY_OVERHEAD_BYTES, 0);
  if (bytes > maxBytes) throw tooLarge(maxBytes);
}

function countLeftOut({ records }: WorldImage, strip: SecretStripper): ExportedArchive["leftOut"] {
  const count = (name: string, all: Iterable<unknown>) =>
    [...all].filter((record) => strip(name, record).secrets).length;
  return {
    destinations: count(DESTINATIONS.name, records.reader.list(DESTINATIONS)),
    keys: count(s3Credentials.name, records.reader.list(s3Credentials)),
  };
}
