import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ArchiveFileError, readArchiveFile, writeArchiveFile } from "../../storage/archive/archive-file.ts";
import { packEntries, textEntry } from "../../storage/archive/pack.ts";
import { unpackEntries } from "../../storage/archive/unpack.ts";

const FORMAT = 1;
/** A capsule holds no more. What its world began with goes from file to file. */
export const BYTES_MAX = 1024 * 1024 * 1024;
/** Of all else, which is held in memory. */
const TEXT_BYTES_MAX = 64 * 1024 * 1024;
const FACTS = "capsule.json";
const JOURNAL = "journal.ndjson";
/** The snapshot file of the world at its beginning; without it, it begins as the settings say. */
const BEGINNING = "beginning.tar.gz";
/** Files of the scenario, by their paths below a common folder. */
const FILES = "files/";
const FILE_NAME = /^(?:[\w@+ -][\w.@+ -]*\/)*[\w@+ -][\w.@+ -]*$/;

/** How something failed when a capsule was made of it. */
export interface CapsuleFacts {
  readonly format: typeof FORMAT;
  /** Versions of the emulator and of Node that made it. */
  readonly version: string;
  readonly node: string;
  readonly made_by: "replay" | "exec" | "vitest";
  /** What was run, for people. */
  readonly command: string;
  /** The scenario among the files. */
  readonly scenario: string;
  readonly seed: number;
  /** The failed step; null for a command, whose requests were recorded. */
  readonly failure: { readonly label: string; readonly differences: readonly string[] } | null;
  /** How a command ended, and why a replay of it may differ. */
  readonly notes: readonly string[];
  /** Laid over those of the scenario. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** How many secrets were replaced. */
  readonly left_out: number;
}

/** A capsule that was read whole. */
export interface Capsule {
  readonly facts: CapsuleFacts;
  readonly journal: string;
  /** The scenario file, in a folder that `remove` takes away. */
  readonly scenario: string;
  /** The snapshot file that its world begins with, there too. */
  readonly beginning: string | undefined;
  remove(): void;
}

/** What a capsule is made of. */
export interface CapsuleParts {
  readonly facts: Omit<CapsuleFacts, "format">;
  readonly files: ReadonlyMap<string, string>;
  readonly journal: string;
  /** The snapshot file that the world begins with. */
  readonly beginning?: string | undefined;
}

/** Writes a capsule, whole or not at all. Throws an `ArchiveFileError`. */
export async function writeCapsule(
  file: string,
  { facts, files, journal, beginning }: CapsuleParts,
): Promise<void> {
  const texts = [
    textEntry(FACTS, JSON.stringify({ format: FORMAT, ...facts }, null, 2)),
    textEntry(JOURNAL, journal),
    ...[...files].map(([name, text]) => textEntry(FILES + name, text)),
  ];
  const size = beginning === undefined ? 0 : statSync(beginning).size;
  const textBytes = texts.reduce((sum, each) => sum + each.size, 0);
  refuseAbove(TEXT_BYTES_MAX, file, textBytes);
  refuseAbove(BYTES_MAX, file, textBytes + size);
  const snapshot = beginning && { name: BEGINNING, size, content: () => createReadStream(beginning) };
  await writeArchiveFile(file, packEntries([...texts, ...(snapshot ? [snapshot] : [])], new Date(0)), true);
}

function refuseAbove(most: number, file: string, bytes: number): void {
  if (bytes > most)
    throw new ArchiveFileError(
      `${file}: it would hold ${bytes} bytes or more; a capsule holds ${most} at most`,
    );
}

/** Reads a capsule; one that is torn, changed or of another kind is refused whole. Throws an `ArchiveFileError`. */
export async function readCapsule(file: string): Promise<Capsule> {
  const folder = mkdtempSync(join(tmpdir(), "capsule-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const names = await unpackInto(folder, file);
    const textOf = (name: string) => (names.has(name) ? readFileSync(join(folder, name), "utf8") : undefined);
    const facts = factsOf(file, textOf(FACTS));
    return {
      facts,
      journal: textOf(JOURNAL) ?? "",
      scenario: join(folder, FILES, facts.scenario),
      beginning: names.has(BEGINNING) ? join(folder, BEGINNING) : undefined,
      remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The names of all entries, once the end has proven that they are as they were written. */
async function unpackInto(folder: string, file: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const { entries, verify } = await unpackEntries(await readArchiveFile(file), BYTES_MAX);
  let textBytes = 0;
  try {
    for await (const { name, size, content } of entries) {
      const isMeant = name === FACTS || name === JOURNAL || name === BEGINNING;
      if (!isMeant && !(name.startsWith(FILES) && isSafe(name.slice(FILES.length))))
        throw new ArchiveFileError(`${file}: no capsule; it holds ${JSON.stringify(name.slice(0, 100))}`);
      if (name !== BEGINNING) textBytes += size;
      if (textBytes > TEXT_BYTES_MAX)
        throw new ArchiveFileError(`${file}: it holds more than ${TEXT_BYTES_MAX} bytes of texts`);
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      await pipeline(content(), createWriteStream(path, { mode: 0o600 }));
      names.add(name);
    }
    verify();
  } catch (error) {
    if ((error as Error).name !== "Refusal") throw error;
    throw new ArchiveFileError(`${file}: no whole capsule; make it again with --capsule`);
  }
  return names;
}

function factsOf(file: string, text: string | undefined): CapsuleFacts {
  const facts = text === undefined ? undefined : (JSON.parse(text) as Partial<CapsuleFacts>);
  if (facts?.scenario === undefined || !isSafe(facts.scenario))
    throw new ArchiveFileError(
      `${file}: no capsule; a snapshot file is imported by \`emulator snapshot import\``,
    );
  if (facts.format !== FORMAT)
    throw new ArchiveFileError(`${file}: of format ${facts.format}, and this version reads ${FORMAT}`);
  return facts as CapsuleFacts;
}

/** Whether a path stays below the folder. */
export function isSafe(path: string): boolean {
  return FILE_NAME.test(path);
}
