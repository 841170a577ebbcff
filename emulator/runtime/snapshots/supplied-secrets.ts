import { type Hide, hideIn, type Path } from "../../../contracts/spec/secrets.ts";
import type { StoredRecord, WorldState } from "../../kernel/commit.ts";
import type { DueEvent } from "../../kernel/queue.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { PLACEHOLDER, setText } from "../../storage/archive/secret-stripping.ts";
import { DESTINATIONS, type Destination } from "../../subjects/destinations/records.ts";
import { type S3Credential, s3Credentials } from "../../subjects/object-storage/records.ts";
import { EVENTS, hiderOf, LEFT_OUT } from "../../subjects/secret-paths.ts";
import type { MissingSecrets, SuppliedSecrets } from "../../subjects/snapshot-secrets.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { INBOX } from "../../subjects/webhooks/records.ts";

/** A record with a supplied secret. */
export interface CompletedRecord extends StoredRecord {
  readonly collection: string;
}

type State = Pick<WorldState, "records" | "queue">;

/** Replaces a mask in a test of whether the mask stands for a secret. */
const PROBE = "probe";

/** The secrets that the records and due events of a world lack. */
export function missingSecrets(state: State, own: Secrets): MissingSecrets {
  const destinations = incompleteDestinations(state, own).map(({ id, display_name }) => ({
    id,
    display_name,
  }));
  const keys = incompleteKeys(state, own).map(({ access_key_id }) => access_key_id);
  const webhooks = [...incompleteWebhooks(state)].flatMap(({ collection, key, gaps }) =>
    gaps.map((at) => ({ collection, id: key, member: at.join(".") })),
  );
  return { destinations, keys, webhooks };
}

/** The records with the supplied secrets. Throws a `Refusal` (422, `unknown_secret`) that names secrets that no record lacks. */
export function completedRecords(
  state: State,
  suppliedSecrets: SuppliedSecrets,
  own: Secrets,
): CompletedRecord[] {
  const unknown = new Set<string>();
  const completed = [
    ...completedDestinations(incompleteDestinations(state, own), suppliedSecrets, own, unknown),
    ...completedKeys(incompleteKeys(state, own), suppliedSecrets, own, unknown),
    ...completedWebhooks([...incompleteWebhooks(state)], suppliedSecrets, unknown),
  ];
  if (unknown.size === 0) return completed;
  throw new Refusal(
    422,
    "unknown_secret",
    `No record lacks a secret for ${[...unknown].join(", ")}. Nothing was changed.`,
    "Supply only the secrets that the import listed under missing.",
  );
}

/** The state with completed records and events. */
export function withCompleted(state: WorldState, completed: readonly CompletedRecord[]): WorldState {
  const records = new Map(Object.entries(state.records));
  let { queue } = state;
  for (const { collection, key, record } of completed)
    if (collection === EVENTS)
      queue = queue.map((event) => (String(event.number) === key ? (record as DueEvent) : event));
    else
      records.set(
        collection,
        (records.get(collection) ?? []).map((each) => (each.key === key ? { key, record } : each)),
      );
  return { ...state, records: Object.fromEntries(records), queue };
}

function recordsOf<T>({ records }: State, name: string): readonly T[] {
  return (records[name] ?? []).map(({ record }) => record as T);
}

function incompleteDestinations(state: State, own: Secrets): readonly Destination[] {
  return recordsOf<Destination>(state, DESTINATIONS.name).filter(
    ({ credentials }) => credentials !== null && own.open(credentials).includes(PLACEHOLDER),
  );
}

function incompleteKeys(state: State, own: Secrets): readonly S3Credential[] {
  return recordsOf<S3Credential>(state, s3Credentials.name).filter(
    ({ sealed_secret, sealed_session_token: token }) =>
      own.open(sealed_secret).startsWith(PLACEHOLDER) ||
      (token !== null && own.open(token).startsWith(PLACEHOLDER)),
  );
}

interface IncompleteRecord extends CompletedRecord {
  /** The paths of the masks. */
  readonly gaps: readonly Path[];
}

/** Received messages are history: their headers are never sent again. */
function* incompleteWebhooks({ records, queue }: State): Iterable<IncompleteRecord> {
  const events = queue.map((event) => ({ key: String(event.number), record: event }));
  for (const [collection, items] of [...Object.entries(records), [EVENTS, events] as const]) {
    if (collection === INBOX.name) continue;
    for (const { key, record } of items) {
      const gaps = gapsOf(collection, record);
      if (gaps.length > 0) yield { collection, key, record, gaps };
    }
  }
}

/** The masks of a record that stand for secrets; the text of a user may contain the same word. */
function gapsOf(collection: string, record: unknown): readonly Path[] {
  const hide = hiderOf(collection, record);
  if (!hide) return [];
  const gaps: Path[] = [];
  const probe: Hide = (at, value) => {
    if (typeof value === "number" || !value.includes(LEFT_OUT)) return value;
    const probed = value.replaceAll(LEFT_OUT, PROBE);
    return hide(at, probed) !== probed ? "" : value;
  };
  hideIn(record, probe, (at) => gaps.push(at));
  return gaps;
}

function completedDestinations(
  all: readonly Destination[],
  { destinations = {} }: SuppliedSecrets,
  own: Secrets,
  unknown: Set<string>,
): CompletedRecord[] {
  return Object.entries(destinations).flatMap(([name, credentials]) => {
    const matches = all.filter(({ id, display_name }) => id === name || display_name === name);
    if (matches.length === 0) unknown.add(`the destination ${name}`);
    return matches.map((destination) => ({
      collection: DESTINATIONS.name,
      key: DESTINATIONS.idOf(destination),
      record: {
        ...destination,
        credentials: own.seal(JSON.stringify(credentials)),
        credentials_keys: Object.keys(credentials),
      },
    }));
  });
}

function completedKeys(
  all: readonly S3Credential[],
  { keys = {} }: SuppliedSecrets,
  own: Secrets,
  unknown: Set<string>,
): CompletedRecord[] {
  return Object.entries(keys).flatMap(([name, { secret_access_key, session_token }]) => {
    const credential = all.find(({ access_key_id }) => access_key_id === name);
    if (!credential) unknown.add(`the key ${name}`);
    if (!credential) return [];
    const record: S3Credential = {
      ...credential,
      sealed_secret: own.seal(secret_access_key),
      sealed_session_token: session_token === undefined ? null : own.seal(session_token),
    };
    return [{ collection: s3Credentials.name, key: s3Credentials.idOf(credential), record }];
  });
}

function completedWebhooks(
  all: readonly IncompleteRecord[],
  { webhooks = {} }: SuppliedSecrets,
  unknown: Set<string>,
): CompletedRecord[] {
  return Object.entries(webhooks).flatMap(([name, members]) => {
    const match = all.find(({ collection, key }) => `${collection}/${key}` === name);
    if (!match) unknown.add(name);
    if (!match) return [];
    const record = structuredClone(match.record);
    for (const [member, text] of Object.entries(members)) {
      const at = match.gaps.find((gap) => gap.join(".") === member);
      if (at) setText(record, at, text);
      else unknown.add(`${name}, ${member}`);
    }
    return [{ collection: match.collection, key: match.key, record }];
  });
}
