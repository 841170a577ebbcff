/** A map with cheap copies: they share its shards until one of them writes to a shard. */
export interface SharedMap<V> {
  readonly size: number;
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): boolean;
  /** The shards. Copies have the same ones until one of them writes. */
  parts(): readonly (ReadonlyMap<string, V> | undefined)[];
  /** An independent copy. */
  copy(): SharedMap<V>;
}

/** A part of a map. Anyone but its owner copies it before a change. */
interface Shard<V> {
  readonly owner: object;
  readonly entries: Map<string, V>;
}

const FIRST_SHARDS = 4;
/** At this many entries per shard the number of shards doubles. It bounds the cost of the first write after a copy. */
const MAX_ENTRIES_PER_SHARD = 16;

/** An empty map; it grows as it is filled. */
export function createSharedMap<V>(): SharedMap<V> {
  return mapOn<V>(new Array(FIRST_SHARDS).fill(undefined), 0);
}

function mapOn<V>(initial: (Shard<V> | undefined)[], initialSize: number): SharedMap<V> {
  let shards = initial;
  let size = initialSize;
  let owner = {};

  function shardIndexOf(key: string): number {
    return hash(key) & (shards.length - 1);
  }

  function ownShard(shardIndex: number): Shard<V> {
    const shard = shards[shardIndex];
    if (shard?.owner === owner) return shard;
    const own = { owner, entries: new Map(shard?.entries) };
    shards[shardIndex] = own;
    return own;
  }

  function grow(): void {
    const before = shards;
    shards = new Array(before.length * 2).fill(undefined);
    for (const shard of before)
      shard?.entries.forEach((value, key) => {
        ownShard(shardIndexOf(key)).entries.set(key, value);
      });
  }

  return {
    get size() {
      return size;
    },
    get: (key) => (size === 0 ? undefined : shards[shardIndexOf(key)]?.entries.get(key)),
    set(key, value) {
      const { entries } = ownShard(shardIndexOf(key));
      const before = entries.size;
      entries.set(key, value);
      size += entries.size - before;
      if (size > shards.length * MAX_ENTRIES_PER_SHARD) grow();
    },
    delete(key) {
      const shardIndex = shardIndexOf(key);
      if (!shards[shardIndex]?.entries.has(key)) return false;
      ownShard(shardIndex).entries.delete(key);
      size -= 1;
      return true;
    },
    parts: () => shards.map((shard) => shard?.entries),
    copy() {
      // From now on neither copy owns the shared shards.
      owner = {};
      return mapOn(shards.slice(), size);
    },
  };
}

/** A value of two maps; undefined in the one without it. */
export interface ValuePair<V> {
  readonly key: string;
  readonly before: V | undefined;
  readonly after: V | undefined;
}

/**
 * The pairs of values that may differ. Shards that both maps have are skipped, so the cost grows with the number of changes
 * since the copy. Yields undefined where the caller may let other work run.
 */
export function* unsharedValues<V>(a: SharedMap<V>, b: SharedMap<V>): Generator<ValuePair<V> | undefined> {
  for (const [key, before] of unsharedEntries(a, b)) yield { key, before, after: b.get(key) };
  for (const [key, after] of unsharedEntries(b, a))
    yield a.get(key) === undefined ? { key, before: undefined, after } : undefined;
}

function* unsharedEntries<V>(map: SharedMap<V>, other: SharedMap<V>): Generator<[string, V]> {
  const [parts, others] = [map.parts(), other.parts()];
  const isAligned = parts.length === others.length;
  for (const [n, part] of parts.entries()) if (part && !(isAligned && part === others[n])) yield* part;
}

/** Hashes only some characters of a long key. */
function hash(key: string): number {
  let mixed = key.length;
  const stride = 1 + (key.length >>> 4);
  for (let at = key.length - 1; at >= 0; at -= stride)
    mixed = Math.imul(mixed ^ key.charCodeAt(at), 0x01000193);
  return mixed ^ (mixed >>> 15);
}
