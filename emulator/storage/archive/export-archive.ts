import type { WorldImage } from "../../kernel/image.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { DESTINATIONS } from "../../subjects/destinations/records.ts";
import { s3Credentials } from "../../subjects/object-storage/records.ts";
import type { Secrets } from "../../subjects/turn.ts";
import type { WorldFolder } from "../folders/registry.ts";
import { bodiesOf, bodyEntries, checkPresence } from "./bodies.ts";
import { ENTRY, manifestOf } from "./manifest.ts";
import { type PackedEntry, packEntries, textEntry } from "./pack.ts";
import { recordEntries } from "./record-lines.ts";
import { createSeal } from "./seal.ts";
import { createSecretStripper, type SecretStripper } from "./secret-stripping.ts";
import { markOf, traceEntries } from "./trace-entries.ts";
import { tooLarge } from "./unpack.ts";

/** A world that was put aside: nobody writes to what lies in its home. */
export interface ExportSource {
  readonly name: string;
  /** The world that it is of. */
  readonly of: string;
  readonly image: WorldImage;
  readonly worldFolder: WorldFolder;
}

/** What a world is packed with. */
export interface ExportOptions {
  /** Those of the data folder. */
  readonly secrets: Secrets;
  /** Without one, secrets are left out. */
  readonly passphrase: string | undefined;
  readonly bytesMax: number;
}

/** A snapshot file on its way out; nothing is read before its chunks are taken. */
export interface ExportedArchive {
  /** How many records are without their credentials, for want of a passphrase. */
  readonly leftOut: { readonly destinations: number; readonly keys: number };
  readonly chunks: AsyncIterable<Uint8Array>;
}

const ENTRY_OVERHEAD_BYTES = 1024;

/** Makes one file of a still world; what keeps it from being made is said before its first byte. */
export async function exportArchive(source: ExportSource, options: ExportOptions): Promise<ExportedArchive> {
  const { image, worldFolder, name, of } = source;
  const { secrets, passphrase, bytesMax } = options;
  const bodies = bodiesOf(image.records.stored());
  const folders = [worldFolder.objects, ...worldFolder.bases];
  checkPresence(folders, bodies);
  const location = { folder: worldFolder.traces, layers: worldFolder.layers };
  const rows = traceEntries(ENTRY.traces, location);
  refuseTooLarge([...rows, ...bodies], bytesMax);
  const seal = passphrase === undefined ? undefined : await createSeal(passphrase);
  const now = formatInstant(image.now);
  const manifest = manifestOf({
    name,
    of,
    now,
    turn: image.turn,
    seed: image.seed,
    traces_mark: markOf(location),
    sealed: seal?.head ?? null,
  });
  const secretStripper = createSecretStripper(secrets, seal);

  function* entries(): Generator<PackedEntry> {
    yield textEntry(ENTRY.manifest, JSON.stringify(manifest));
    yield* recordEntries(ENTRY.records, image, secretStripper);
    yield* rows;
    yield* bodyEntries(ENTRY.objects, folders, bodies);
  }

  return {
    leftOut: seal ? { destinations: 0, keys: 0 } : countLeftOut(image, secretStripper),
    chunks: packEntries(entries(), { modified: new Date(image.now), authenticate: seal?.authenticate }),
  };
}

function refuseTooLarge(parts: readonly { readonly size: number }[], bytesMax: number): void {
  const bytes = parts.reduce((sum, { size }) => sum + size + ENTRY_OVERHEAD_BYTES, 0);
  if (bytes > bytesMax) throw tooLarge(bytesMax);
}

function countLeftOut({ records }: WorldImage, secretStripper: SecretStripper): ExportedArchive["leftOut"] {
  const count = (name: string, all: Iterable<unknown>) =>
    [...all].filter((record) => secretStripper.strip(name, record).secrets).length;
  return {
    destinations: count(DESTINATIONS.name, records.reader.all(DESTINATIONS)),
    keys: count(s3Credentials.name, records.reader.all(s3Credentials)),
  };
}
