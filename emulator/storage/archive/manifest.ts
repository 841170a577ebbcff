import { packageVersion } from "../../config/package-version.ts";
import { Refusal } from "../../kernel/refusal.ts";

/** The layout of a snapshot file; raised when an older emulator could not read a newer one's files. */
export const FORMAT = 4;

/** The first entry of a snapshot file: what it is, and what a reader has to know before all else. */
export interface Manifest {
  readonly format: number;
  /** The version of the emulator that wrote it. */
  readonly written_by: string;
  readonly name: string;
  /** The world that it is of. */
  readonly of: string;
  /** Virtual time. */
  readonly now: string;
  readonly turn: number;
  readonly seed: number;
  /** The first sequence number that no trace row has. */
  readonly traces_mark: number;
}

/** Entries come in the order of these, each kind together. */
export const ENTRY = {
  manifest: "manifest.json",
  records: "records/",
  traces: "traces/",
  objects: "objects/",
  end: "end.json",
} as const;

/** A manifest in the format that this emulator writes. */
export function manifestOf(facts: Omit<Manifest, "format" | "written_by">): Manifest {
  return { format: FORMAT, written_by: packageVersion(), ...facts };
}

/** Reads a manifest; what this emulator cannot read is refused with what can. */
export function readManifest(text: string): Manifest {
  const manifest = parseManifest(text);
  const { format, written_by: version } = manifest;
  if (typeof format !== "number" || !Number.isInteger(format) || format < 1 || typeof version !== "string")
    throw damaged("it does not say its format");
  if (format > FORMAT)
    throw new Refusal(
      422,
      "newer_snapshot",
      `The snapshot file has format ${format}; this emulator (${packageVersion()}) reads up to ${FORMAT}.`,
      `Use trace-platform-emulator ${version} or newer, which wrote it.`,
    );
  if (format < FORMAT)
    throw new Refusal(
      422,
      "older_snapshot",
      `The snapshot file has format ${format}; this emulator (${packageVersion()}) reads format ${FORMAT}.`,
      `Use trace-platform-emulator ${version}, which wrote it, or save the snapshot anew.`,
    );
  if (!isComplete(manifest)) throw damaged("its manifest is not whole");
  return manifest;
}

/** For a file that is not, or is no longer, what an emulator wrote. */
export function damaged(what: string): Refusal {
  return new Refusal(
    422,
    "damaged_snapshot",
    `The snapshot file is torn, was changed, or is none: ${what}. Nothing was imported.`,
    "Take another copy of it, or export the snapshot again.",
  );
}

function parseManifest(text: string): Partial<Manifest> {
  try {
    const value = JSON.parse(text) as Partial<Manifest> | null;
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Said below.
  }
  throw damaged("its manifest is not JSON");
}

function isComplete(manifest: Partial<Manifest>): manifest is Manifest {
  const { name, of, now, turn, seed, traces_mark: mark } = manifest;
  const isText = [name, of, now].every((text) => typeof text === "string");
  return isText && [turn, seed, mark].every(isCount);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
