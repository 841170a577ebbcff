import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Secrets } from "../subjects/turn.ts";
import { areSealed, sealBlock } from "./checksum.ts";
import { StoreError } from "./store-error.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const SUM_BYTES = 4;

/**
 * Secrets under a key of their own, in a file that only its owner reads; with `mayBegin` one is made beside data of another. Throws a
 * `StoreError` for one that is lost or damaged.
 */
export function openSecrets(folder: string, mayBegin = false): Secrets {
  const file = keyPath(folder);
  if (!existsSync(file)) {
    // A new key beside old data would open none of its secrets.
    if (!mayBegin && ["worlds.ndjson", "pool"].some((name) => existsSync(join(folder, name))))
      throw lostKey(`${file} is missing.`);
    writeKey(file);
  }
  const bytes = readFileSync(file);
  if (bytes.length !== KEY_BYTES + SUM_BYTES || !areSealed(bytes)) throw lostKey(`${file} is damaged.`);
  return createSecrets(bytes.subarray(0, KEY_BYTES));
}

/** Where the key of a data folder lies. */
export function keyPath(folder: string): string {
  return join(folder, "key");
}

/** The error of a key that opens nothing, or not what it should. */
export function lostKey(message: string): StoreError {
  const hint =
    "Restore it, or run `emulator doctor --repair` with the same --data, which gives up the secrets.";
  return new StoreError(message, hint);
}

function writeKey(file: string): void {
  const bytes = Buffer.concat([randomBytes(KEY_BYTES), Buffer.alloc(SUM_BYTES)]);
  sealBlock(bytes, 0, bytes.length);
  writeFileSync(file, bytes, { mode: 0o600, flag: "wx" });
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
