import type { Path } from "../../../contracts/spec/secrets.ts";
import type { Commit, Effect, StoredRecord, WorldState } from "../../kernel/commit.ts";
import type { DueEvent } from "../../kernel/queue.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { EVENTS, hidden, setAt } from "../secret-paths.ts";
import { StoreError } from "../store-error.ts";

/** What a file holds of a record, an event or an effect: the values at these places are sealed JSON. */
type Sealed<T> = T & { readonly sealed?: readonly Path[] };

/**
 * Seals what is secret in commits and states before they are written, and opens it again. What is folded in between
 * stays sealed.
 */
export interface Sealing {
  commit(commit: Commit): Commit;
  state(state: WorldState): WorldState;
  /** Throws a `StoreError` for what another key has sealed. */
  opened(state: WorldState): WorldState;
  openedCommit(commit: Commit): Commit;
}

/** Seals with the key of the data folder. */
export function createSealing(own: Secrets): Sealing {
  function sealedAt(value: object, places: readonly Path[]): object {
    const copy = structuredClone(value);
    for (const at of places) setAt(copy, at, (secret) => own.seal(JSON.stringify(secret)));
    return copy;
  }

  function sealRecord(collection: string, item: StoredRecord): Sealed<StoredRecord> {
    const { secrets } = hidden(collection, item.record);
    if (secrets.length === 0) return item;
    return { key: item.key, record: sealedAt(item.record as object, secrets), sealed: secrets };
  }

  function seal<T extends DueEvent | Effect>(item: T): Sealed<T> {
    const { secrets } = hidden(EVENTS, item);
    // What an imported event says of itself is not believed: only what was sealed here opens.
    if (secrets.length === 0 && !("sealed" in item)) return item;
    return { ...(sealedAt(item, secrets) as T), sealed: secrets };
  }

  function opened<T>(value: T, places: readonly Path[] = []): T {
    try {
      for (const at of places) setAt(value, at, (text) => JSON.parse(own.open(String(text))));
    } catch {
      throw new StoreError("A secret of the data folder cannot be decrypted with its key.");
    }
    return value;
  }

  const openRecord = (_: string, { key, record, sealed }: Sealed<StoredRecord>): StoredRecord => ({
    key,
    record: opened(record, sealed),
  });
  const openItem = <T extends DueEvent | Effect>({ sealed, ...item }: Sealed<T>) => opened(item, sealed);

  return {
    commit(commit) {
      const { put, scheduled, effects } = commit;
      const sealed: { -readonly [Member in keyof Commit]: Commit[Member] } = { ...commit };
      if (put) sealed.put = eachRecord(put, sealRecord);
      if (scheduled) sealed.scheduled = scheduled.map(seal);
      if (effects) sealed.effects = effects.map(seal);
      return sealed;
    },
    state: (state) => ({
      ...state,
      records: eachRecord(state.records, sealRecord),
      queue: state.queue.map(seal),
      inFlight: state.inFlight.map(seal),
    }),
    opened: (state) => ({
      ...state,
      records: eachRecord(state.records, openRecord),
      queue: state.queue.map(openItem),
      inFlight: state.inFlight.map(openItem),
    }),
    openedCommit(commit) {
      const { put, scheduled, effects } = commit;
      return {
        ...commit,
        ...(put && { put: eachRecord(put, openRecord) }),
        ...(scheduled && { scheduled: scheduled.map(openItem) }),
        ...(effects && { effects: effects.map(openItem) }),
      };
    },
  };
}

function eachRecord(
  records: WorldState["records"],
  change: (collection: string, item: Sealed<StoredRecord>) => StoredRecord,
): WorldState["records"] {
  const changed: Record<string, readonly StoredRecord[]> = {};
  for (const name in records) changed[name] = (records[name] ?? []).map((item) => change(name, item));
  return changed;
}
