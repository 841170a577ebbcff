import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Secrets } from "../subjects/turn.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const WAY_OUT = "restore it, or use another --data folder";

/** The key of a data folder is lost or damaged: the secrets that it sealed cannot be read. */
export class KeyFileError extends Error {
  override readonly name = "KeyFileError";
}

/** Secrets under a key of their own, in a file that only its owner reads. */
export function openSecrets(folder: string): Secrets {
  const file = join(folder, "key");
  if (!existsSync(file)) {
    // A new key beside old data would open none of its secrets.
    if (existsSync(join(folder, "worlds.ndjson"))) throw new KeyFileError(`${file} is gone; ${WAY_OUT}`);
    writeFileSync(file, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" });
  }
  const key = readFileSync(file);
  if (key.length !== KEY_BYTES) throw new KeyFileError(`${file} is damaged; ${WAY_OUT}`);
  return createSecrets(key);
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
