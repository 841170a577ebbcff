import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  checkWritable,
  readArchiveFile,
  writeArchiveFile,
} from "../../emulator/storage/archive/archive-file.ts";
import { packEntries, textEntry } from "../../emulator/storage/archive/pack.ts";
import { readText, unpackEntries } from "../../emulator/storage/archive/unpack.ts";
import { CommandFailure, UsageError } from "../command.ts";

const FORMAT = 1;
const BYTES_MAX = 64 * 1024 * 1024;
const FACTS = "capsule.json";
const JOURNAL = "journal.ndjson";
/** Files of the scenario, by their paths below a common folder. */
const FILES = "files/";
const FILE_NAME = /^(?:[\w@+ -][\w.@+ -]*\/)*[\w@+ -][\w.@+ -]*$/;

/** How something failed when a capsule was made of it. */
export interface CapsuleFacts {
  readonly format: typeof FORMAT;
  /** Versions of the emulator and of Node that made it. */
  readonly version: string;
  readonly node: string;
  readonly made_by: "replay" | "exec";
  /** What was run, for people. */
  readonly command: string;
  /** The scenario among the files. */
  readonly scenario: string;
  readonly seed: number;
  /** The failed step; null for a command, whose requests were recorded. */
  readonly failure: { readonly label: string; readonly differences: readonly string[] } | null;
  /** How a command ended, and why a replay of it may differ. */
  readonly notes: readonly string[];
  /** How many secrets were replaced. */
  readonly left_out: number;
}

/** A capsule that was read whole. */
export interface Capsule {
  readonly facts: CapsuleFacts;
  readonly journal: string;
  /** The scenario file, in a folder that `remove` takes away. */
  readonly scenario: string;
  remove(): void;
}

/** What a capsule is made of. */
export interface CapsuleParts {
  readonly facts: Omit<CapsuleFacts, "format">;
  readonly files: ReadonlyMap<string, string>;
  readonly journal: string;
}

/** Refuses where a capsule could not be written later on. */
export function checkCapsule(file: string, mayReplace: boolean): Promise<void> {
  return explained(() => checkWritable(file, mayReplace));
}

/** Writes a capsule, whole or not at all. */
export async function writeCapsule(file: string, { facts, files, journal }: CapsuleParts): Promise<void> {
  const entries = [
    textEntry(FACTS, JSON.stringify({ format: FORMAT, ...facts }, null, 2)),
    textEntry(JOURNAL, journal),
    ...[...files].map(([name, text]) => textEntry(FILES + name, text)),
  ];
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  if (bytes > BYTES_MAX)
    throw new CommandFailure(
      `${file}: it would hold ${bytes} bytes, more than the ${BYTES_MAX} of a capsule`,
    );
  await explained(() => writeArchiveFile(file, packEntries(entries, new Date(0)), true));
}

/** Reads a capsule; one that is torn, changed or of another kind is refused whole. Throws `UsageError`. */
export async function readCapsule(file: string): Promise<Capsule> {
  const texts = await explained(() => entriesOf(file));
  const facts = factsOf(file, texts.get(FACTS));
  const folder = mkdtempSync(join(tmpdir(), "capsule-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  for (const [name, text] of texts) {
    if (!name.startsWith(FILES)) continue;
    const path = join(folder, name.slice(FILES.length));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return { facts, journal: texts.get(JOURNAL) ?? "", scenario: join(folder, facts.scenario), remove };
}

/** All entries, once the end has proven that they are as they were written. */
async function entriesOf(file: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const { entries, verify } = await unpackEntries(await readArchiveFile(file), BYTES_MAX);
  try {
    for await (const { name, size, content } of entries)
      texts.set(name, await readText(content(), size, BYTES_MAX));
    verify();
  } catch (error) {
    if ((error as Error).name !== "Refusal") throw error;
    throw new UsageError(`${file}: no whole capsule; make it again with --capsule`);
  }
  return texts;
}

function factsOf(file: string, text: string | undefined): CapsuleFacts {
  const facts = text === undefined ? undefined : (JSON.parse(text) as Partial<CapsuleFacts>);
  if (facts?.scenario === undefined || !isSafe(facts.scenario))
    throw new UsageError(`${file}: no capsule; a snapshot file is imported by \`emulator snapshot import\``);
  if (facts.format !== FORMAT)
    throw new UsageError(`${file}: of format ${facts.format}, and this version reads ${FORMAT}`);
  return facts as CapsuleFacts;
}

/** Whether a path stays below the folder. */
export function isSafe(path: string): boolean {
  return FILE_NAME.test(path);
}

async function explained<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw (error as Error).name === "ArchiveFileError" ? new UsageError((error as Error).message) : error;
  }
}
