import { createHash } from "node:crypto";

/** The last entry of a snapshot file: it proves that all before it is there, as it was written. */
export interface ArchiveTrailer {
  readonly entries: number;
  /** SHA-256 over the names, sizes and contents of all entries before it. */
  readonly sha256: string;
}

/** Takes entries in while they pass. */
export interface Digest {
  begin(name: string, size: number): void;
  add(chunk: Uint8Array): void;
  end(): ArchiveTrailer;
}

/** Counts entries, and hashes each behind its name and size, so that no bytes can change places. */
export function createDigest(): Digest {
  const hash = createHash("sha256");
  let entries = 0;
  return {
    begin(name, size) {
      entries += 1;
      hash.update(`${name}\0${size}\0`);
    },
    add: (chunk) => void hash.update(chunk),
    end: () => ({ entries, sha256: hash.digest("hex") }),
  };
}
