import type { Turn } from "../turn.ts";
import { makeBucket } from "./buckets.ts";
import { createCredential } from "./credentials.ts";

/** The bucket of every new world. */
export const SEEDED_BUCKET = "traces";
/** The key pair of every new world, with all permissions. It is public on purpose: it only opens an emulator. */
export const SEEDED_KEY = { access_key_id: "emulator", secret_access_key: "emulator-secret" } as const;

/** Creates the bucket and the key pair of a new world. */
export function seedObjectStorage(turn: Turn): void {
  makeBucket(turn, SEEDED_BUCKET, null);
  createCredential(turn, SEEDED_KEY);
}
