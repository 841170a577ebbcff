import type { Turn } from "../turn.ts";
import { makeBucket } from "./buckets.ts";
import { createCredential } from "./credentials.ts";

/** What every fresh world has: one bucket, and one key pair that may do everything. */
export const SEEDED_BUCKET = "traces";
/** Known to everyone, and meant to be: it opens an emulator and nothing else. */
export const SEEDED_KEY = { access_key_id: "emulator", secret_access_key: "emulator-secret" } as const;

/** Puts the bucket and the key pair of a fresh world into it. */
export function seedObjectStorage(turn: Turn): void {
  makeBucket(turn, SEEDED_BUCKET, null);
  createCredential(turn, SEEDED_KEY);
}
