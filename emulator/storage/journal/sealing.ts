import type { Path } from "../../../contracts/spec/secrets.ts";
import type { Commit, Effect, StoredRecord, WorldState } from "../../kernel/commit.ts";
import type { DueEvent } from "../../kernel/queue.ts";
import { EVENTS, hidden, setAt } from "../../subjects/secret-paths.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { StoreError } from "../store-error.ts";

/** A record, an event or an effect in a file: the values at these paths are encrypted JSON. */
type Sealed<T> = T & { readonly sealed?: readonly Path[] };

/**
 * Encrypts the secrets of commits and states before they are written, and decrypts them after they are read. A fold in between
 * needs no key.
 */
export type Sealing = ReturnType<typeof createSealing>;

/** Encrypts with the key of the data folder. */
export function createSealing(own: Secrets) {
  function sealedAt(value: object, paths: readonly Path[]): object {
    const copy = structuredClone(value);
    for (const at of paths) setAt(copy, at, (secret) => own.seal(JSON.stringify(secret)));
    return copy;
  }

  function sealRecord(collection: string, item: StoredRecord): Sealed<StoredRecord> {
    const { secrets } = hidden(collection, item.record);
    if (secrets.length === 0) return item;
    return { key: item.key, record: sealedAt(item.record as object, secrets), sealed: secrets };
  }

  function seal<T extends DueEvent | Effect>(item: T): Sealed<T> {
    const { secrets } = hidden(EVENTS, item);
    // A `sealed` member of an imported event is not trusted: only secrets that were encrypted here are decrypted.
    if (secrets.length === 0 && !("sealed" in item)) return item;
    return { ...(sealedAt(item, secrets) as T), sealed: secrets };
  }

  const openRecord = (_: string, { key, record, sealed }: Sealed<StoredRecord>): StoredRecord => ({
    key,
    record: openAt(own, record, sealed),
  });
  const openItem = <T extends DueEvent | Effect>({ sealed, ...item }: Sealed<T>) =>
    openAt(own, item as unknown as T, sealed);
  const encrypted: Change = { record: sealRecord, item: seal };
  const decrypted: Change = { record: openRecord, item: openItem };

  return {
    commit: (commit: Commit): Commit => changedCommit(commit, encrypted),
    state: (state: WorldState): WorldState => changedState(state, encrypted),
    /** Throws a `StoreError` for secrets that were encrypted with another key. */
    openState: (state: WorldState): WorldState => changedState(state, decrypted),
    openCommit: (commit: Commit): Commit => changedCommit(commit, decrypted),
  };
}

interface Change {
  record(collection: string, item: StoredRecord): StoredRecord;
  item<T extends DueEvent | Effect>(item: T): T;
}

function changedCommit(commit: Commit, { record, item }: Change): Commit {
  const { put: records, scheduled, effects } = commit;
  const changed: { -readonly [Member in keyof Commit]: Commit[Member] } = { ...commit };
  if (records) changed.put = eachRecord(records, record);
  if (scheduled) changed.scheduled = scheduled.map(item);
  if (effects) changed.effects = effects.map(item);
  return changed;
}

function changedState(state: WorldState, { record, item }: Change): WorldState {
  const { records, queue, inFlight } = state;
  return {
    ...state,
    records: eachRecord(records, record),
    queue: queue.map(item),
    inFlight: inFlight.map(item),
  };
}

/** Decrypts the values at these paths, in place. */
function openAt<T>(own: Secrets, value: T, paths: readonly Path[] = []): T {
  try {
    for (const at of paths) setAt(value, at, (text) => JSON.parse(own.open(String(text))));
  } catch {
    throw new StoreError("A secret of the data folder cannot be decrypted with its key.");
  }
  return value;
}

function eachRecord(
  records: WorldState["records"],
  change: (collection: string, item: Sealed<StoredRecord>) => StoredRecord,
): WorldState["records"] {
  const changed: Record<string, readonly StoredRecord[]> = {};
  for (const name in records) changed[name] = (records[name] ?? []).map((item) => change(name, item));
  return changed;
}
