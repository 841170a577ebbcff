import { createHmac, randomBytes, type ScryptOptions, scrypt } from "node:crypto";
import { Refusal } from "../../kernel/refusal.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { createSecrets } from "../secrets.ts";

/** What a snapshot file says of the passphrase that its secrets are under. */
export interface SealHead {
  readonly kdf: "scrypt";
  /** Base64. */
  readonly salt: string;
  /** A known text, sealed: only the right passphrase opens it. */
  readonly proof: string;
}

/** Secrets under a passphrase, and a code that shows that nobody else has changed the file. */
export interface Seal extends Secrets {
  readonly head: SealHead;
  authenticate(digest: string): string;
}

/** Fixed for the format, so that no file can ask for more memory or time. */
const COST: ScryptOptions = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const PROOF = "trace-platform-emulator snapshot";

/** A seal with a new salt, so that one passphrase gives every file another key. */
export async function createSeal(passphrase: string): Promise<Seal> {
  const salt = randomBytes(SALT_BYTES);
  const seal = await deriveSeal(passphrase, salt);
  return { ...seal, head: { kdf: "scrypt", salt: salt.toString("base64"), proof: seal.seal(PROOF) } };
}

/** Opens what another machine has sealed; a wrong passphrase is refused before anything is read with it. */
export async function openSeal(passphrase: string, head: SealHead): Promise<Seal> {
  const seal = await deriveSeal(passphrase, Buffer.from(String(head.salt), "base64"));
  try {
    if (seal.open(String(head.proof)) === PROOF) return { ...seal, head };
  } catch {
    // Said below.
  }
  throw new Refusal(
    422,
    "wrong_passphrase",
    "This is not the passphrase that the snapshot file was written with. Nothing was imported.",
    "Give the right one, or leave its secrets out (without_secrets, or --without-secrets of `snapshot import`).",
  );
}

async function deriveSeal(passphrase: string, salt: Buffer): Promise<Omit<Seal, "head">> {
  const bytes = await stretch(passphrase.normalize("NFKC"), salt);
  const [key, code] = [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)];
  const authenticate = (digest: string) => createHmac("sha256", code).update(digest).digest("hex");
  return { ...createSecrets(key), authenticate };
}

function stretch(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, 2 * KEY_BYTES, COST, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });
}
