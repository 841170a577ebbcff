import { packageVersion } from "../../config/package-version.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { jsonOf } from "../../subjects/json-of.ts";

/** The layout of snapshot files and capsules; raised when an older emulator could not read the files of a newer one. */
export const FORMAT = 5;

/** The first entry of an archive. */
export interface Manifest {
  readonly format: number;
  readonly written_by: string;
  /** Null in a capsule without a snapshot: its world starts from the settings. */
  readonly world: ArchivedWorld | null;
}

export interface ArchivedWorld {
  readonly name: string;
  /** The world that the snapshot was taken of. */
  readonly of: string;
  readonly now: string;
  readonly turn: number;
  readonly seed: number;
  /** The sequence number after the last trace row. */
  readonly traces_mark: number;
}

/** The names of entries, or what they start with, in the order of the file. Only capsules have a recording. */
export const ENTRY = {
  manifest: "manifest.json",
  records: "records/",
  traces: "traces/",
  objects: "objects/",
  recording: "recording/",
  end: "end.json",
} as const;

/** A manifest in the format that this emulator writes. */
export function manifestOf(world: ArchivedWorld | null): Manifest {
  return { format: FORMAT, written_by: packageVersion(), world };
}

/** Reads a manifest. Throws a `Refusal` (422), which names the version that can read another format. */
export function readManifest(text: string): Manifest {
  const manifest = jsonOf(text) as Partial<Manifest> | null | undefined;
  if (typeof manifest !== "object" || manifest === null) throw damaged("its manifest is not JSON");
  const { format, written_by: version, world = null } = manifest;
  if (typeof format !== "number" || !Number.isInteger(format) || format < 1 || typeof version !== "string")
    throw damaged("its manifest has no valid format");
  if (format !== FORMAT)
    throw new Refusal(
      422,
      format > FORMAT ? "newer_snapshot" : "older_snapshot",
      `The file has format ${format}. This emulator (${packageVersion()}) reads format ${FORMAT}.`,
      `Use trace-platform-emulator ${version}, which wrote the file, or ${format > FORMAT ? "a newer version" : "write the file again"}.`,
    );
  if (world !== null && !isArchivedWorld(world)) throw damaged("its manifest is incomplete");
  return { format, written_by: version, world };
}

/** The `Refusal` (422) for a file that is incomplete, was changed, or was not written by an emulator. */
export function damaged(problem: string): Refusal {
  return new Refusal(
    422,
    "damaged_snapshot",
    `The file is damaged or is not a snapshot file: ${problem}. Nothing was imported.`,
    "Use another copy of the file, or export the snapshot again.",
  );
}

function isArchivedWorld(world: Partial<ArchivedWorld>): world is ArchivedWorld {
  const { name, of, now, turn, seed, traces_mark: mark } = world;
  const areTexts = [name, of, now].every((text) => typeof text === "string");
  return areTexts && [turn, seed, mark].every((count) => Number.isSafeInteger(count) && Number(count) >= 0);
}
