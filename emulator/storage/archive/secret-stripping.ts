import { randomBytes } from "node:crypto";
import { DESTINATIONS, type Destination } from "../../subjects/destinations/records.ts";
import { s3Credentials } from "../../subjects/object-storage/records.ts";
import { SEEDED_KEY } from "../../subjects/object-storage/seed.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { damaged } from "./manifest.ts";
import { LEFT_OUT, type MaskText, maskerOf, maskText, type Path } from "./webhook-secrets.ts";

/** A secret of a record: where it belongs, and itself under the passphrase; null when it was left out. */
interface StrippedSecret {
  readonly at: Path;
  readonly sealed: string | null;
}

/** A record without its secrets. */
export interface StrippedRecord {
  readonly record: unknown;
  readonly secrets?: readonly StrippedSecret[];
}

/** What an imported world has no secrets for. */
export interface MissingSecrets {
  readonly destinations: readonly { readonly id: string; readonly display_name: string }[];
  /** Of the embedded object store. */
  readonly keys: readonly string[];
  /** How many records have addresses of webhooks whose tokens were left out. */
  readonly webhooks: number;
}

/** Fields that the key of the data folder seals. */
const SEALED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  [DESTINATIONS.name]: ["credentials"],
  [s3Credentials.name]: ["sealed_secret", "sealed_session_token"],
};
/** Due events are hidden like records of this name, which no collection has. */
export const EVENTS = "";

/** Takes the secrets out of records; with a passphrase they come along under it. */
export interface SecretStripper {
  strip(collection: string, record: unknown): StrippedRecord;
}

/** Opens secrets with `own` and puts them under `seal`; without one they are left out. */
export function createSecretStripper(own: Secrets, seal: Pick<Secrets, "seal"> | undefined): SecretStripper {
  const hiddenText = (at: Path, text: string) => ({ at, sealed: seal ? seal.seal(text) : null });

  function hideFields(record: Readonly<Record<string, unknown>>, fields: readonly string[]): StrippedRecord {
    const secrets: StrippedSecret[] = [];
    const shown: Record<string, unknown> = { ...record };
    for (const field of fields) {
      const sealed = record[field];
      if (typeof sealed !== "string") continue;
      const text = own.open(sealed);
      shown[field] = isPublic(text) ? text : null;
      if (shown[field] === null) secrets.push(hiddenText([field], text));
    }
    return secrets.length > 0 ? { record: shown, secrets } : { record: shown };
  }

  return {
    strip(collection, record) {
      const fields = SEALED_FIELDS[collection];
      if (fields) return hideFields(record as Readonly<Record<string, unknown>>, fields);
      const mask = collection === EVENTS ? maskText : maskerOf(collection, record);
      if (!mask) return { record };
      const secrets: StrippedSecret[] = [];
      const shown = masked(record, [], mask, (at, text) => secrets.push(hiddenText(at, text)));
      return secrets.length > 0 ? { record: shown, secrets } : { record };
    },
  };
}

/** Puts secrets back, under the key of this data folder, and keeps account of those that are missing. */
export interface SecretRestorer {
  restore(collection: string, hidden: StrippedRecord): unknown;
  readonly missing: MissingSecrets;
}

/** Opens secrets with `seal` and puts them under `own`; without one they count as missing. */
export function createSecretRestorer(own: Secrets, seal: Pick<Secrets, "open"> | undefined): SecretRestorer {
  const destinations: { id: string; display_name: string }[] = [];
  const keys: string[] = [];
  let webhooks = 0;

  function miss(collection: string, record: unknown): void {
    const { id, display_name, access_key_id } = record as Destination & { readonly access_key_id: string };
    if (collection === DESTINATIONS.name) destinations.push({ id, display_name });
    else if (collection === s3Credentials.name) keys.push(access_key_id);
    else webhooks += 1;
  }

  /** False for a secret that was left out. */
  function putBack(collection: string, record: unknown, { at, sealed }: StrippedSecret): boolean {
    const text = sealed === null ? undefined : seal?.open(sealed);
    const isOwn = SEALED_FIELDS[collection]?.includes(String(at[0])) === true;
    if (text !== undefined) setText(record, at, text);
    else if (isOwn) setText(record, at, placeholderSecret(collection));
    return text !== undefined;
  }

  return {
    missing: {
      destinations,
      keys,
      get webhooks() {
        return webhooks;
      },
    },
    restore(collection, { record, secrets = [] }) {
      if (!Array.isArray(secrets)) throw damaged("a record of it is none");
      const found = secrets.map((each: StrippedSecret) => putBack(collection, record, each));
      if (found.includes(false)) miss(collection, record);
      for (const field of SEALED_FIELDS[collection] ?? []) sealField(record, field, own);
      return record;
    },
  };
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

/** Something that opens nothing, and says in every error why. */
function placeholderSecret(collection: string): string {
  const secret = randomBytes(30).toString("base64url");
  if (collection !== DESTINATIONS.name) return secret;
  return JSON.stringify({ access_key_id: `${LEFT_OUT}-of-the-snapshot`, secret_access_key: secret });
}

function sealField(record: unknown, field: string, own: Secrets): void {
  const fields = record as Record<string, unknown>;
  const text = fields[field];
  if (typeof text === "string") fields[field] = own.seal(text);
}

/** A copy in which masks stand in the place of secrets, which are handed out. */
function masked(value: unknown, at: Path, mask: MaskText, found: (at: Path, text: string) => void): unknown {
  if (typeof value === "string") {
    const shown = mask(at, value);
    if (shown !== value) found(at, value);
    return shown;
  }
  if (Array.isArray(value)) return value.map((item, index) => masked(item, [...at, index], mask, found));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, masked(item, [...at, name], mask, found)]),
  );
}

/** Puts a text where the record has something already, and nowhere else. */
function setText(record: unknown, at: Path, text: string): void {
  let parent = record as Record<string | number, unknown>;
  for (const [depth, name] of at.entries()) {
    if (typeof parent !== "object" || parent === null || !Object.hasOwn(parent, name))
      throw damaged("a secret of it belongs nowhere");
    if (depth === at.length - 1) parent[name] = text;
    else parent = parent[name] as Record<string | number, unknown>;
  }
}
