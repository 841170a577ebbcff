import { createWriteStream, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  freeForm,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  type TypeOf,
  text,
} from "../../../contracts/spec/fields.ts";
import { LIMITS } from "../../../contracts/spec/limits.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { ENTRY, manifestOf, readManifest } from "../../storage/archive/manifest.ts";
import { type PackedEntry, packEntries, textEntry } from "../../storage/archive/pack.ts";
import { readText, unpackEntries } from "../../storage/archive/unpack.ts";
import { jsonOf } from "../../subjects/json-of.ts";
import { checkOf } from "../../validation/check.ts";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";
import { ArchiveFileError, readArchiveFile, writeArchiveFile } from "../snapshots/archive-file.ts";

/** The recording is held in memory. The snapshot is not. */
const MAX_RECORDING_BYTES = 64 * 1024 * 1024;
const MAX_FILE_BYTES = LIMITS.snapshot_bytes.value + MAX_RECORDING_BYTES;
const FACTS = `${ENTRY.recording}capsule.json`;
const JOURNAL = `${ENTRY.recording}journal.ndjson`;
/** Files of the scenario, by their paths below a common folder. */
const FILES = `${ENTRY.recording}files/`;
const FILE_NAME = /^(?:[\w@+ -][\w.@+ -]*\/)*[\w@+ -][\w.@+ -]*$/;

/** Which part of the package wrote a capsule. */
const MAKERS = ["replay", "exec", "vitest", "jest", "node:test", "bun"] as const;

/** Facts are checked when they are read: somebody else may have written the file. */
const FACTS_FIELD = object({
  /** Versions of the emulator and of Node that wrote it. */
  version: text(),
  node: text(),
  made_by: oneOf(MAKERS),
  /** The command that was run, as text for users. */
  command: text(),
  /** The scenario among the files. */
  scenario: text(),
  seed: integer({ minimum: 0 }),
  /** The failed step; null for a command, whose requests were recorded. */
  failure: nullable(object({ label: text(), differences: listOf(text()) })),
  /** How a command ended, and why its replay may differ. */
  notes: listOf(text()),
  /** What a replay cannot repeat, and what to do about it: such a capsule is not replayed. Capsules of old versions lack it. */
  gaps: optional(listOf(text())),
  /** These replace settings of the scenario. */
  settings: freeForm(),
  /** The number of secrets that were replaced. */
  left_out: integer({ minimum: 0 }),
});

/** The failure that a capsule repeats. */
export type CapsuleFacts = TypeOf<typeof FACTS_FIELD>;

/** A capsule that was read. */
export interface Capsule {
  readonly facts: CapsuleFacts;
  readonly journal: string;
  /** The scenario file, in a temporary folder that `remove` deletes. */
  readonly scenario: string;
  /** The temporary folder of the scenario and the files that it reads. */
  readonly folder: string;
  /** The file with the snapshot that the world starts from: the capsule itself. Without one, the settings say how it starts. */
  readonly snapshot: string | undefined;
  remove(): void;
}

/** The contents of a capsule. */
export interface CapsuleParts {
  readonly facts: CapsuleFacts;
  readonly files: ReadonlyMap<string, string>;
  readonly journal: string;
  /** A snapshot file with the world that the recording starts from. */
  readonly snapshot?: AsyncIterable<Uint8Array> | undefined;
}

/** Writes a capsule, complete or not at all: a snapshot file with a recording. Throws an `ArchiveFileError`. */
export async function writeCapsule(file: string, parts: CapsuleParts): Promise<void> {
  const { facts, files, journal, snapshot } = parts;
  const recording = [
    textEntry(FACTS, JSON.stringify(facts, null, 2)),
    textEntry(JOURNAL, journal),
    ...[...files].map(([name, text]) => textEntry(FILES + name, text)),
  ];
  refuseLargeRecording(
    file,
    recording.reduce((sum, { size }) => sum + size, 0),
  );
  await writeArchiveFile(file, packEntries(capsuleEntries(snapshot, recording), new Date(0)), true);
}

async function* capsuleEntries(
  snapshot: CapsuleParts["snapshot"],
  recording: readonly PackedEntry[],
): AsyncGenerator<PackedEntry> {
  if (snapshot) yield* unpackEntries(snapshot, LIMITS.snapshot_bytes.value);
  else yield textEntry(ENTRY.manifest, JSON.stringify(manifestOf(null)));
  yield* recording;
}

function refuseLargeRecording(file: string, bytes: number): void {
  if (bytes > MAX_RECORDING_BYTES)
    throw new ArchiveFileError(
      `${file}: the journal and the scenario files of a capsule may have ${MAX_RECORDING_BYTES} bytes, and these have ${bytes} bytes or more.`,
    );
}

/** Reads a capsule. Throws an `ArchiveFileError` for one that is damaged, or for another kind of file. */
export async function readCapsule(file: string): Promise<Capsule> {
  const folder = makeTemporaryFolder();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const { names, hasWorld } = await unpackRecording(file, folder);
    const textOf = (name: string) => (names.has(name) ? readFileSync(join(folder, name), "utf8") : undefined);
    const facts = await parseFacts(file, textOf(FACTS));
    return {
      facts,
      journal: textOf(JOURNAL) ?? "",
      scenario: join(folder, FILES, facts.scenario),
      folder: join(folder, FILES),
      snapshot: hasWorld ? file : undefined,
      remove,
    };
  } catch (error) {
    remove();
    if (!(error instanceof Refusal)) throw error;
    const { code, message, hint } = error;
    if (code !== "damaged_snapshot") throw new ArchiveFileError(`${file}: ${message} ${hint}`);
    throw new ArchiveFileError(
      `${file} is not a capsule, or it is damaged. Create one with \`emulator replay --capsule <file>\` or \`emulator exec --capsule <file> -- …\`.`,
    );
  }
}

/** Writes the entries of the recording to the folder; returns their names when the checksum of the file has been checked. */
async function unpackRecording(file: string, folder: string) {
  const names = new Set<string>();
  let hasWorld = false;
  let bytes = 0;
  for await (const { name, size, content } of unpackEntries(await readArchiveFile(file), MAX_FILE_BYTES)) {
    if (name === ENTRY.manifest)
      hasWorld = readManifest(await readText(content(), size, MAX_RECORDING_BYTES)).world !== null;
    if (!name.startsWith(ENTRY.recording)) continue;
    if (name !== FACTS && name !== JOURNAL && !(name.startsWith(FILES) && isSafe(name.slice(FILES.length))))
      throw new ArchiveFileError(
        `${file} is not a capsule: it contains the unexpected entry ${JSON.stringify(name.slice(0, 100))}.`,
      );
    bytes += size;
    refuseLargeRecording(file, bytes);
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    await pipeline(content(), createWriteStream(path, { mode: 0o600 }));
    names.add(name);
  }
  return { names, hasWorld };
}

async function parseFacts(file: string, facts: string | undefined): Promise<CapsuleFacts> {
  const parsedFacts = facts === undefined ? undefined : jsonOf(facts);
  if (parsedFacts === undefined)
    throw new ArchiveFileError(
      `${file} is not a capsule. If it is a snapshot file, import it with \`emulator snapshot import\`.`,
    );
  const problems = (await checkOf(FACTS_FIELD))(parsedFacts, "capsule.json");
  const { scenario } = parsedFacts as CapsuleFacts;
  if (problems.length === 0 && isSafe(scenario)) return parsedFacts as CapsuleFacts;
  const reason =
    problems[0] ?? `capsule.json.scenario: ${JSON.stringify(scenario.slice(0, 100))} is not a path`;
  throw new ArchiveFileError(`${file} is not a valid capsule: ${reason}. Ask its author for a new one.`);
}

/** Whether a path stays below the folder. */
export function isSafe(path: string): boolean {
  return FILE_NAME.test(path);
}
