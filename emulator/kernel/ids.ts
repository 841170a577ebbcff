import { createHash } from "node:crypto";

/**
 * The nth id of a kind: a pure function of the seed, in the shape of a version 4 uuid. Every kind
 * counts for itself, so a new draw in one place never shifts the ids, and the golden files, of another.
 */
export function idFor(seed: number, kind: string, ordinal: number): string {
  const hash = createHash("sha256").update(`${seed}/${kind}/${ordinal}`).digest("hex");
  const variant = "89ab"[Number.parseInt(hash.charAt(16), 16) % 4];
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `4${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join("-");
}
