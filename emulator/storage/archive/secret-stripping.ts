import { randomBytes } from "node:crypto";
import type { Path } from "../../../contracts/spec/secrets.ts";
import { DESTINATIONS } from "../../subjects/destinations/records.ts";
import { s3Credentials } from "../../subjects/object-storage/records.ts";
import { SEEDED_KEY } from "../../subjects/object-storage/seed.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { hidden, LEFT_OUT, setAt } from "../secret-places.ts";
import { damaged } from "./manifest.ts";

/** A record without its secrets, and where in it they were. */
export interface StrippedRecord {
  readonly record: unknown;
  readonly secrets?: readonly Path[];
}

/** Fields that the key of the data folder seals. */
const SEALED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  [DESTINATIONS.name]: ["credentials"],
  [s3Credentials.name]: ["sealed_secret", "sealed_session_token"],
};
/** A secret that begins so opens nothing, and says in every error why. */
export const PLACEHOLDER = `${LEFT_OUT}-of-the-snapshot`;

/** Takes the secrets out of records. */
export interface SecretStripper {
  strip(collection: string, record: unknown): StrippedRecord;
}

/** Opens sealed fields with `own`, to leave in what is public. */
export function createSecretStripper(own: Secrets): SecretStripper {
  function stripFields(record: Readonly<Record<string, unknown>>, fields: readonly string[]) {
    const secrets: Path[] = [];
    const shown: Record<string, unknown> = { ...record };
    for (const field of fields) {
      const sealed = record[field];
      if (typeof sealed !== "string") continue;
      const text = own.open(sealed);
      shown[field] = isPublic(text) ? text : null;
      if (shown[field] === null) secrets.push([field]);
    }
    return { record: shown, secrets };
  }

  return {
    strip(collection, record) {
      const shown = hidden(collection, record);
      const fields = SEALED_FIELDS[collection] ?? [];
      const opened = stripFields(shown.record as Readonly<Record<string, unknown>>, fields);
      const secrets = [...shown.secrets, ...opened.secrets];
      return secrets.length > 0 ? { record: opened.record, secrets } : { record: opened.record };
    },
  };
}

/** Puts sealed fields under the key of this data folder; a placeholder stands for what was left out. */
export function restoredRecord(
  own: Secrets,
  collection: string,
  { record, secrets = [] }: StrippedRecord,
): unknown {
  if (!Array.isArray(secrets)) throw damaged("a record of it is none");
  const fields = SEALED_FIELDS[collection] ?? [];
  for (const at of secrets)
    if (fields.includes(String(at[0]))) setText(record, at, placeholderSecret(collection));
  for (const field of fields) sealField(record, field, own);
  return record;
}

/** The pair that every world has is published with the emulator. */
function isPublic(text: string): boolean {
  const { access_key_id, secret_access_key } = SEEDED_KEY;
  if (text === secret_access_key) return true;
  try {
    const given = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return (
      given.access_key_id === access_key_id &&
      given.secret_access_key === secret_access_key &&
      Object.keys(given).length === 2
    );
  } catch {
    return false;
  }
}

function placeholderSecret(collection: string): string {
  const secret = `${PLACEHOLDER}-${randomBytes(30).toString("base64url")}`;
  if (collection !== DESTINATIONS.name) return secret;
  return JSON.stringify({ access_key_id: PLACEHOLDER, secret_access_key: secret });
}

function sealField(record: unknown, field: string, own: Secrets): void {
  const fields = record as Record<string, unknown>;
  const text = fields[field];
  if (typeof text === "string") fields[field] = own.seal(text);
}

/** Puts a text where the record has something already, and nowhere else. */
export function setText(record: unknown, at: Path, text: string): void {
  if (!setAt(record, at, () => text)) throw damaged("a secret of it belongs nowhere");
}
