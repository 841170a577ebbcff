import { createHash } from "node:crypto";

/** A deterministic random number generator: the same seed gives the same sequence. */
export interface Random {
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number;
  /** True with that probability (0 to 1). */
  chance(share: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
}

/** The sfc32 generator, seeded with a hash of the text. */
export function createRandom(seed: string): Random {
  const hash = createHash("sha256").update(seed).digest();
  let [a, b, c, counter] = [
    hash.readInt32LE(0),
    hash.readInt32LE(4),
    hash.readInt32LE(8),
    hash.readInt32LE(12),
  ];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (share) => next() < share,
    pick: (list) => list[below(list.length)] ?? list[0],
  };
}
