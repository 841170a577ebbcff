import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Path } from "../../../contracts/spec/secrets.ts";
import { DESTINATIONS } from "../../subjects/destinations/records.ts";
import { jsonOf } from "../../subjects/json-of.ts";
import { s3Credentials } from "../../subjects/object-storage/records.ts";
import { SEEDED_KEY } from "../../subjects/object-storage/seed.ts";
import { hidden, LEFT_OUT, setAt } from "../../subjects/secret-paths.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { damaged } from "./manifest.ts";

/** A record without its secrets, and the paths of the secrets. */
export interface StrippedRecord {
  readonly record: unknown;
  readonly secrets?: readonly Path[];
}

/** Fields that are encrypted with the key of the data folder. */
const SEALED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  [DESTINATIONS.name]: ["credentials"],
  [s3Credentials.name]: ["sealed_secret", "sealed_session_token"],
};
/** Secrets with this prefix are invalid, and explain that in every error. */
export const PLACEHOLDER = `${LEFT_OUT}-of-the-snapshot`;

/** Removes the secrets of a record of a collection. */
export type SecretStripper = (collection: string, record: unknown) => StrippedRecord;

/** Decrypts sealed fields with `own`, since public values stay in the record. */
export function createSecretStripper(own: Secrets): SecretStripper {
  return (collection, record) => {
    const masked = hidden(collection, record);
    const stripped = { ...(masked.record as Readonly<Record<string, unknown>>) };
    const secrets = [...masked.secrets];
    for (const field of SEALED_FIELDS[collection] ?? []) {
      const sealed = stripped[field];
      if (typeof sealed !== "string") continue;
      const text = own.open(sealed);
      stripped[field] = isPublic(text) ? text : null;
      if (stripped[field] === null) secrets.push([field]);
    }
    return { record: stripped, ...(secrets.length > 0 && { secrets }) };
  };
}

/** Encrypts sealed fields with the key of this data folder; placeholders replace removed secrets. */
export function restoredRecord(
  own: Secrets,
  collection: string,
  { record, secrets = [] }: StrippedRecord,
): unknown {
  if (!Array.isArray(secrets)) throw damaged("one of its records is invalid");
  const fields = SEALED_FIELDS[collection] ?? [];
  for (const at of secrets)
    if (fields.includes(String(at[0]))) setText(record, at, placeholderSecret(collection));
  const values = record as Record<string, unknown>;
  for (const field of fields) {
    const text = values[field];
    if (typeof text === "string") values[field] = own.seal(text);
  }
  return record;
}

/** The key pair of every new world is published with the emulator. */
function isPublic(text: string): boolean {
  return text === SEEDED_KEY.secret_access_key || isDeepStrictEqual(jsonOf(text), SEEDED_KEY);
}

function placeholderSecret(collection: string): string {
  const secret = `${PLACEHOLDER}-${randomBytes(30).toString("base64url")}`;
  if (collection !== DESTINATIONS.name) return secret;
  return JSON.stringify({ access_key_id: PLACEHOLDER, secret_access_key: secret });
}

/** Replaces an existing value of the record with a text. Throws a `Refusal` when there is none. */
export function setText(record: unknown, at: Path, text: string): void {
  if (!setAt(record, at, () => text)) throw damaged("one of its secrets belongs to no field");
}
