import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Secrets } from "../subjects/turn.ts";
import { areSealed, PORTABLE, sealBlocks } from "./checksum.ts";
import { readStored, StoreError } from "./store-error.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const SUM_BYTES = 4;
const LOST_KEY_HINT =
  "Restore the key from a backup, or start with another --data folder; `emulator start --import <file>` begins with a snapshot file.";

/** Encryption with the key of a data folder, a file that only its owner can read. Throws a `StoreError` for a key that is missing or damaged. */
export function openSecrets(folder: string): Secrets {
  const file = keyPath(folder);
  if (!existsSync(file)) {
    // A new key could not decrypt the existing secrets.
    if (["worlds.ndjson", "pool"].some((name) => existsSync(join(folder, name))))
      throw lostKey(`${file} is missing.`);
    const bytes = Buffer.concat([randomBytes(KEY_BYTES), Buffer.alloc(SUM_BYTES)]);
    sealBlocks(bytes, bytes.length, PORTABLE, 0);
    writeFileSync(file, bytes, { mode: 0o600, flag: "wx" });
  }
  const bytes = readStored(file, () => readFileSync(file), LOST_KEY_HINT);
  if (bytes.length !== KEY_BYTES + SUM_BYTES || !areSealed(bytes, PORTABLE, 0))
    throw lostKey(`${file} is damaged.`);
  return createSecrets(bytes.subarray(0, KEY_BYTES));
}

/** The path of the key of a data folder. */
export function keyPath(folder: string): string {
  return join(folder, "key");
}

/** The error of a key that is missing, damaged or of another data folder. */
export function lostKey(message: string): StoreError {
  return new StoreError(message, LOST_KEY_HINT);
}

/** AES-256-GCM; the sealed text is nonce, tag and ciphertext in base64. */
export function createSecrets(key: Uint8Array = randomBytes(KEY_BYTES)): Secrets {
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce);
      const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
        decipher.final(),
      ]);
      return text.toString("utf8");
    },
  };
}
