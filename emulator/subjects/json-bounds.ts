import { Refusal } from "../kernel/refusal.ts";
import type { LimitSettings } from "./settings.ts";

/** Bounds of the JSON in a body. */
export type JsonBounds = Pick<LimitSettings, "json_levels" | "json_values" | "json_names">;

const [QUOTE, BACKSLASH, COMMA, COLON, SPACE] = [0x22, 0x5c, 0x2c, 0x3a, 0x20];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const HASH_PRIME = 0x01000193;
const NAME_BITS = 1 << 20;
/** Those of `"a":0,`. */
const MIN_MEMBER_BYTES = 6;
const NO_BITS = new Uint8Array(0);

/** Counts different member names by their hashes: of 50,000 names, 2% have the hash of another one. */
export class NameCount {
  count = 0;
  readonly #bits: Uint8Array;

  /** Counts nothing in a text of too few bytes to have more than `json_names`. */
  constructor(bytes: number, { json_names }: JsonBounds) {
    this.#bits = bytes < MIN_MEMBER_BYTES * json_names ? NO_BITS : new Uint8Array(NAME_BITS / 8);
  }

  add(hash: number): void {
    const bit = (hash ^ (hash >>> 20)) & (NAME_BITS - 1);
    const byte = this.#bits[bit >> 3];
    if (byte === undefined || (byte & (1 << (bit & 7))) !== 0) return;
    this.#bits[bit >> 3] = byte | (1 << (bit & 7));
    this.count += 1;
  }
}

/** A hash of the name between two places. */
export function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), HASH_PRIME);
  return hash;
}

/**
 * Reads JSON text before anything is built from it, since two bytes may become a hundred bytes of memory, and an object
 * with new names takes a hundred times as long as one with the names of another. Returns the number of list items and
 * object members. Throws a `Refusal` for too many values or different names (413), and too many levels (422). `names`
 * holds those of other texts of the body.
 */
export function requireBounds(
  bytes: Uint8Array,
  bounds: JsonBounds,
  names = new NameCount(bytes.length, bounds),
): number {
  let [values, levels, textStart, textEnd] = [0, 0, 0, 0];
  let isEmpty = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    switch (byte) {
      case QUOTE:
        textStart = at + 1;
        textEnd = endOfText(bytes, textStart);
        at = textEnd;
        isEmpty = false;
        break;
      case COLON:
        names.add(hashOf(bytes, textStart, textEnd));
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        values += 1;
        levels += 1;
        if (levels > bounds.json_levels) throw tooDeep(bounds);
        isEmpty = true;
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        levels -= 1;
        values -= Number(isEmpty);
        isEmpty = false;
        break;
      case COMMA:
        values += 1;
        break;
      default:
        isEmpty = isEmpty && byte <= SPACE;
    }
  }
  refuseTooMany(values, names, bounds);
  return values;
}

function endOfText(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte !== QUOTE && byte !== undefined; byte = bytes[at])
    at += byte === BACKSLASH ? 2 : 1;
  return at;
}

/** Throws a `Refusal` (413) for more values, or different names, than a body may have. */
export function refuseTooMany(
  values: number,
  { count }: Pick<NameCount, "count">,
  { json_values, json_names }: JsonBounds,
): void {
  if (values > json_values)
    throw tooMany(`${values} list items and object members`, json_values, "limits.json_values");
  if (count > json_names) throw tooMany(`${count} different member names`, json_names, "limits.json_names");
}

function tooMany(excess: string, most: number, setting: string): Refusal {
  return new Refusal(
    413,
    "too_many_values",
    `The JSON of the body has ${excess}; at most ${most} are accepted.`,
    `Send smaller requests, or raise ${setting}.`,
  );
}

/** The refusal (422) of a body that nests deeper than checks and handlers can process. */
export function tooDeep({ json_levels }: JsonBounds): Refusal {
  return new Refusal(
    422,
    "too_deep",
    `The body nests deeper than ${json_levels} levels.`,
    "limits.json_levels sets the maximum.",
  );
}
