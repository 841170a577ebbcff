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

// Every extra file is read to learn its size, so their number is limited.
const PROBED_MAX = 1000;

/** `named` are the keys that runs name; a listing that may not be read is no problem by itself. */
export async function openListing(
  files: StoredFiles,
  prefix: string,
  named: ReadonlySet<string>,
  findings: Findings,
): Promise<Listing> {
  const listed = await files.list(prefix);
  const isListed = "keys" in listed;
  // Some keys may read and write, but not list; the files that are named can still be read.
  if (!isListed && listed.failure !== "access_denied") findings.add("unreadable", prefix, listed.message);
  const keys = new Set(isListed ? listed.keys : []);
  const isWhole = isListed && listed.whole;
  const extra = new Set([...keys].filter((key) => !named.has(key)));
  const sizes = new Map<string, number>();

  async function probe(key: string): Promise<Fetched | undefined> {
    const got = await files.get(key);
    sizes.set(key, "bytes" in got ? got.bytes.length : -1);
    return "bytes" in got ? { key, bytes: got.bytes } : undefined;
  }

  /** An extra file with exactly the size of a missing one is that file, moved. */
  async function findMoved({ bytes }: ExportedFile): Promise<Fetched | undefined> {
    for (const key of extra) {
      const size = sizes.get(key);
      if (size === undefined ? sizes.size >= PROBED_MAX : size !== bytes) continue;
      const found = await probe(key);
      if (found?.bytes.length !== bytes) continue;
      extra.delete(key);
      return found;
    }
    return undefined;
  }

  return {
    extra: () => [...extra],
    async fetch(file) {
      const isMissing = isWhole && file.key.startsWith(prefix) && !keys.has(file.key);
      const got: { readonly bytes: Uint8Array } | Absent = isMissing
        ? { kind: "missing_file", detail: "the bucket has no such object" }
        : await files.get(file.key);
      if ("bytes" in got) return { key: file.key, bytes: got.bytes };
      return got.kind === "missing_file" ? ((await findMoved(file)) ?? got) : got;
    },
  };
}
