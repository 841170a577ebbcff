import { objectId, objects, type StoredObject } from "../../subjects/object-storage/records.ts";
import type { Reader } from "../../subjects/turn.ts";
import { ownerOf } from "../pool/names.ts";
import type { ObjectPlace } from "./body-name.ts";
import { numberOfBody } from "./body-place.ts";

/**
 * The objects that people may not find as they are by now: so many of them by their keys, and of the others only where the numbers
 * of their bodies begin, by which they are found among all objects later.
 */
export interface Unshown {
  /** Answers one that went to make room, and that no record leads to later. */
  add(place: ObjectPlace): ObjectPlace | undefined;
  /** Up to so many; when none is known, a stretch of all objects is searched, which may find none. */
  take(count: number): Iterable<ObjectPlace>;
  isEmpty(): boolean;
  /** The name of an object's body now, if it is one of the owner. */
  bodyOf(place: ObjectPlace): string | undefined;
  /** From here on it may be any of those that are there. */
  addAll(): void;
  /** Has one search find all that is left to be searched. */
  searchAnew(): void;
  clear(): void;
}

/** Whose objects are shown. */
export interface UnshownOptions {
  /** Objects with bodies of others are not shown. */
  readonly owner: number;
  /** The records as they are now. */
  readonly reader: () => Reader;
  /** How many are known by their keys; 10,000 when left out. */
  readonly knownMax?: number;
}

const KNOWN_MAX = 10_000;
/** Of that, how many objects are looked at in one go. */
const LOOKED_AT = 1 / 10;
const NONE = Number.POSITIVE_INFINITY;

export function createUnshown({ owner, reader, knownMax = KNOWN_MAX }: UnshownOptions): Unshown {
  const known = new Map<string, ObjectPlace>();
  /** The lowest number of the body of one that is not known. */
  let from = NONE;
  let search: { readonly from: number; readonly among: Iterator<StoredObject> } | undefined;

  const own = (file?: string) => (file !== undefined && ownerOf(file) === owner ? file : undefined);
  const bodyOf = ({ bucket, key }: ObjectPlace) => own(reader().get(objects, objectId(bucket, key))?.file);

  /** The place as it came may be that of a request, all of which would be kept with it. */
  function know({ bucket, key }: ObjectPlace): void {
    known.set(objectId(bucket, key), { bucket, key });
  }

  function* takeKnown(count: number): Generator<ObjectPlace> {
    let left = count;
    for (const [id, place] of known) {
      if (left-- === 0) return;
      known.delete(id);
      yield place;
    }
  }

  function searchOn(): void {
    if (!search && from < NONE) {
      search = { from, among: reader().all(objects)[Symbol.iterator]() };
      from = NONE;
    }
    for (let looked = 0; search && looked < LOOKED_AT * knownMax; looked += 1) {
      const { value, done } = search.among.next();
      if (done) search = undefined;
      else if (own(value.file) && numberOfBody(value.file) >= search.from) know(value);
    }
  }

  return {
    add(place) {
      know(place);
      if (known.size <= knownMax) return undefined;
      const [oldest] = takeKnown(1);
      const file = oldest && bodyOf(oldest);
      if (file === undefined) return oldest;
      from = Math.min(from, numberOfBody(file));
      return undefined;
    },
    take(count) {
      if (known.size === 0) searchOn();
      return takeKnown(count);
    },
    isEmpty: () => known.size === 0 && !search && from === NONE,
    bodyOf,
    addAll() {
      known.clear();
      search = undefined;
      from = 0;
    },
    searchAnew() {
      if (!search || from === NONE) return;
      from = Math.min(from, search.from);
      search = undefined;
    },
    clear() {
      known.clear();
      search = undefined;
      from = NONE;
    },
  };
}
