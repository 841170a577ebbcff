import { closeSync } from "node:fs";
import type { StoredRecord, WorldState } from "../../kernel/commit.ts";
import { DESTINATIONS } from "../../subjects/destinations/records.ts";
import { objects, type StoredBody, s3Credentials, s3Parts } from "../../subjects/object-storage/records.ts";
import { SEEDED_KEY } from "../../subjects/object-storage/seed.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { restoredRecord } from "../archive/secret-stripping.ts";
import { createSealing } from "../journal/sealing.ts";
import type { BodyOpener } from "../objects/opened-body.ts";
import { LEFT_OUT, setAt } from "../secret-places.ts";
import { StoreError } from "../store-error.ts";
import type { Findings } from "./findings.ts";

/** What the key of the data folder seals in records, beside what secrets are found in. */
const SEALED_FIELDS = {
  [DESTINATIONS.name]: ["credentials"],
  [s3Credentials.name]: ["sealed_secret", "sealed_session_token"],
} as const;

/** Whose records they are, in words. */
export interface Named {
  readonly title: string;
  readonly findings: Findings;
}

/** The state without the objects and parts whose bodies are lost; the same one when none is. */
export async function withoutLostBodies(
  state: WorldState,
  { title, findings }: Named,
  opener: BodyOpener,
): Promise<WorldState> {
  const lost = new Set<StoredRecord>();
  for (const { name } of [objects, s3Parts])
    for (const item of state.records[name] ?? []) {
      const body = item.record as StoredBody;
      if (!(await isLostBody(opener, body, findings))) continue;
      findings.lost(`${name === objects.name ? "object" : "part of an upload"} ${item.key} of ${title}`);
      lost.add(item);
    }
  if (lost.size === 0) return state;
  const kept = Object.entries(state.records).map(([name, items]) => [
    name,
    items.filter((item) => !lost.has(item)),
  ]);
  return { ...state, records: Object.fromEntries(kept) };
}

async function isLostBody(opener: BodyOpener, body: StoredBody, findings: Findings): Promise<boolean> {
  try {
    closeSync((await opener.open(body)).fd);
    return false;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    findings.problem(error);
    return true;
  }
}

/** The state as it is opened under the key; without that, what was sealed is left out, as it is in a snapshot file. */
export function unsealed(state: WorldState, key: Secrets, isLost: boolean): WorldState {
  const sealing = createSealing(key);
  return isLost ? sealing.opened(withoutSecrets(state, key)) : sealing.opened(state);
}

type MaybeSealed = { readonly sealed?: readonly (readonly (string | number)[])[] };

/** Puts what says that a secret is left out in the place of each, sealed with another key. */
function withoutSecrets(state: WorldState, key: Secrets): WorldState {
  function leaveOut<T extends object>(value: T, { sealed = [] }: MaybeSealed): T {
    for (const at of sealed) setAt(value, at, () => key.seal(JSON.stringify(LEFT_OUT)));
    return value;
  }
  const records = Object.entries(state.records).map(([name, items]) => [
    name,
    items.map((item) => {
      const record = leaveOut(item.record as object, item as MaybeSealed);
      return { ...item, record: withoutFields(name, record, key) };
    }),
  ]);
  return {
    ...state,
    records: Object.fromEntries(records),
    queue: state.queue.map((event) => leaveOut(event, event as MaybeSealed)),
    inFlight: state.inFlight.map((effect) => leaveOut(effect, effect as MaybeSealed)),
  };
}

/** The pair that every world has is published with the emulator: it opens it again. */
function withoutFields(name: string, record: object, key: Secrets): unknown {
  const fields = SEALED_FIELDS[name as keyof typeof SEALED_FIELDS] ?? [];
  const secrets = fields
    .filter((field) => typeof Reflect.get(record, field) === "string")
    .map((field) => [field]);
  const { access_key_id, secret_access_key } = SEEDED_KEY;
  if (Reflect.get(record, "access_key_id") === access_key_id)
    return { ...record, sealed_secret: key.seal(secret_access_key) };
  return secrets.length === 0 ? record : restoredRecord(key, name, { record, secrets });
}
