import type { ExportedFile } from "../subjects/bulk-exports/records.ts";
import type { Findings } from "./findings.ts";
import type { Fetched } from "./run-check.ts";
import type { Absent, StoredFiles } from "./stored-files.ts";

/** The files of an export: those named by its runs, and extra ones. */
export interface Listing {
  /** Fetches a file named by a run, also when it was moved under the prefix. */
  fetch(file: ExportedFile): Promise<Fetched | Absent>;
  /** Keys of extra files. */
  extra(): readonly string[];
}

// An extra file is read to find its size, so their number is limited.
const MAX_PROBED_FILES = 1000;

/** `referencedKeys` are the keys in the records of runs. A listing that is denied is not a problem by itself. */
export async function openListing(
  files: StoredFiles,
  prefix: string,
  referencedKeys: ReadonlySet<string>,
  findings: Findings,
): Promise<Listing> {
  const listing = await files.list(prefix);
  const isListed = "keys" in listing;
  // Some key pairs may read and write but not list. The named files can still be read.
  if (!isListed && listing.failure !== "access_denied") findings.add("unreadable", prefix, listing.message);
  const keys = new Set(isListed ? listing.keys : []);
  const isComplete = isListed && listing.isComplete;
  const extra = new Set([...keys].filter((key) => !referencedKeys.has(key)));
  const sizes = new Map<string, number>();

  async function probe(key: string): Promise<Fetched | undefined> {
    const result = await files.get(key);
    sizes.set(key, "bytes" in result ? result.bytes.length : -1);
    return "bytes" in result ? { key, bytes: result.bytes } : undefined;
  }

  /** An extra file with exactly the size of a missing file is taken for that file. */
  async function findMoved({ bytes }: ExportedFile): Promise<Fetched | undefined> {
    for (const key of extra) {
      const size = sizes.get(key);
      if (size === undefined ? sizes.size >= MAX_PROBED_FILES : size !== bytes) continue;
      const file = await probe(key);
      if (file?.bytes.length !== bytes) continue;
      extra.delete(key);
      return file;
    }
    return undefined;
  }

  return {
    extra: () => [...extra],
    async fetch(file) {
      const isMissing = isComplete && file.key.startsWith(prefix) && !keys.has(file.key);
      const result: { readonly bytes: Uint8Array } | Absent = isMissing
        ? { kind: "missing_file", detail: "the bucket has no such object" }
        : await files.get(file.key);
      if ("bytes" in result) return { key: file.key, bytes: result.bytes };
      return result.kind === "missing_file" ? ((await findMoved(file)) ?? result) : result;
    },
  };
}
