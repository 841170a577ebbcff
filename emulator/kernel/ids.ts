import { hash } from "node:crypto";

/**
 * The nth id of a kind: a pure function of the seed, in the shape of a version 4 uuid. Every kind
 * counts for itself, so a new draw in one place never shifts the ids, and the golden files, of another.
 */
export function idFor(seed: number, kind: string, ordinal: number): string {
  const hex = hash("sha256", `${seed}/${kind}/${ordinal}`, "hex");
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
