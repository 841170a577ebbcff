import { createHash } from "node:crypto";

/** The last entry of an archive: it shows that the file is complete and unchanged. */
export interface ArchiveTrailer {
  readonly entries: number;
  /** SHA-256 over the names, sizes and contents of all entries before it. */
  readonly sha256: string;
}

/** Hashes entries as they pass. */
export interface Digest {
  begin(name: string, size: number): void;
  add(chunk: Uint8Array): void;
  end(): ArchiveTrailer;
}

/** Hashes each entry after its name and size, so that no bytes can move from one entry to another. */
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
