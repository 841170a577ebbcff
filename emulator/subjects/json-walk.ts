import { isUtf8 } from "node:buffer";
import { exactNumber } from "../../contracts/spec/exact-json.ts";
import type { NameCount } from "./json-bounds.ts";

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [ZERO, NINE, SPACE, CR, LF] = [0x30, 0x39, 0x20, 0x0d, 0x0a];
/** What `JSON.stringify` puts behind a backslash; it also writes `\u` for some characters, which are rare. */
const ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\bfnrt'));
const WORDS: ReadonlySet<string> = new Set(["true", "false", "null"]);
/** Objects with more members, and what is nested deeper, are left to whoever parses. */
const MAX_MEMBERS = 64;
const MAX_DEPTH = 150;
const HASH_PRIME = 0x01000193;
/** Of an integer that is larger than every double. */
const MIN_DIGITS_OUT_OF_RANGE = 309;

/**
 * Walks over JSON text in UTF-8 without making values. A step returns false for a text that is not JSON as far as it looks; a text
 * that is walked over is JSON for certain only if it is canonical.
 */
export class JsonWalk {
  readonly bytes: Buffer;
  at = 0;
  /** Whether all since it was last set to true is as `printExact` would write it, with these spaces and escapes. */
  isCanonical = true;
  /** Whether a list or an object ended where none does. */
  isBroken = false;
  /** Items of lists and members of objects so far. */
  values = 0;
  readonly names: NameCount | undefined;
  /** Where the last name begins and ends. */
  nameStart = 0;
  nameEnd = 0;
  /** Names with the same hash may be different. */
  #nameHash = 0;
  /** Of the names so far in all objects around the place. */
  readonly #hashes: number[] = [];
  /** The next one. */
  #backslash = -1;

  /** `names` counts the different names. */
  constructor(bytes: Buffer, names?: NameCount) {
    this.bytes = bytes;
    this.names = names;
  }

  /** From the first byte of a value to behind its last one. */
  value(depthLeft = MAX_DEPTH): boolean {
    const byte = this.bytes[this.at];
    if (byte === QUOTE) return this.#text();
    if (byte === OPEN_OBJECT) return depthLeft > 0 && this.#object(depthLeft - 1);
    if (byte === OPEN_LIST) return depthLeft > 0 && this.#list(depthLeft - 1);
    return this.#word();
  }

  /** From the first byte of a list to that of its first item; false behind a list without one. */
  firstItem(): boolean {
    return this.#first(CLOSE_LIST);
  }

  /** From behind an item to the next one; false behind the list. */
  nextItem(): boolean {
    return this.#next(CLOSE_LIST);
  }

  /** The same in an object, past the name of the member. */
  firstMember(): boolean {
    return this.#first(CLOSE_OBJECT) && this.#name();
  }

  nextMember(): boolean {
    return this.#next(CLOSE_OBJECT) && this.#name();
  }

  #list(depthLeft: number): boolean {
    for (let more = this.firstItem(); more; more = this.nextItem()) if (!this.value(depthLeft)) return false;
    return !this.isBroken;
  }

  /** Objects with a name twice are not canonical. */
  #object(depthLeft: number): boolean {
    const hashes = this.#hashes;
    const first = hashes.length;
    for (let more = this.firstMember(); more; more = this.nextMember()) {
      const hash = this.#nameHash;
      if (hashes.length - first === MAX_MEMBERS || hashes.includes(hash, first)) this.isCanonical = false;
      else hashes.push(hash);
      if (!this.value(depthLeft)) return false;
    }
    hashes.length = first;
    return !this.isBroken;
  }

  #first(close: number): boolean {
    this.at += 1;
    this.#pastSpace();
    if (this.bytes[this.at] === close) {
      this.at += 1;
      return false;
    }
    this.values += 1;
    return true;
  }

  #next(close: number): boolean {
    this.#pastSpace();
    const byte = this.bytes[this.at++];
    if (byte === COMMA) {
      this.values += 1;
      this.#pastSpace();
      return true;
    }
    this.isBroken = byte !== close;
    return false;
  }

  /** A name and its colon. */
  #name(): boolean {
    const { bytes } = this;
    this.nameStart = this.at + 1;
    let [at, hash] = [this.nameStart, 0];
    for (let byte = bytes[at]; byte !== QUOTE && byte !== undefined; byte = bytes[at]) {
      if (byte === BACKSLASH && !ESCAPES.has(bytes[++at] ?? 0)) this.isCanonical = false;
      hash = Math.imul(hash ^ (bytes[at] ?? 0), HASH_PRIME);
      at += 1;
    }
    this.#nameHash = hash;
    this.names?.add(hash);
    this.nameEnd = at;
    this.isBroken = bytes[this.nameStart - 1] !== QUOTE;
    this.at = at + 1;
    this.#pastSpace();
    if (bytes[this.at++] !== COLON) this.isBroken = true;
    this.#pastSpace();
    return !this.isBroken;
  }

  /** Walks over a string, from quote to quote. What has no backslash before its end is not looked at byte by byte. */
  #text(): boolean {
    const { bytes } = this;
    let at = this.at + 1;
    if (this.#backslash < at) this.#backslash = placeOf(BACKSLASH, bytes, at);
    let end = placeOf(QUOTE, bytes, at);
    while (this.#backslash < end) {
      at = this.#backslash + 2;
      if (!ESCAPES.has(bytes[at - 1] ?? 0)) this.isCanonical = false;
      this.#backslash = placeOf(BACKSLASH, bytes, at);
      if (end < at) end = placeOf(QUOTE, bytes, at);
    }
    this.at = end + 1;
    return end < bytes.length;
  }

  #pastSpace(): void {
    while ((this.bytes[this.at] ?? SPACE + 1) <= SPACE) {
      this.isCanonical = false;
      this.at += 1;
    }
  }

  /** A number, true, false or null. */
  #word(): boolean {
    const { bytes, at: start } = this;
    let at = start;
    while (isOfWord(bytes[at])) at += 1;
    this.at = at;
    if (this.isCanonical && !isCanonicalWord(bytes, start, at)) this.isCanonical = false;
    return at > start;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isOfWord(byte: number | undefined): boolean {
  return byte !== undefined && byte > SPACE && byte !== COMMA && byte !== CLOSE_OBJECT && byte !== CLOSE_LIST;
}

function isCanonicalWord(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start] ?? 0;
  if (!isDigit(first) && first !== MINUS) return WORDS.has(bytes.toString("latin1", start, end));
  let at = start;
  while (at < end && isDigit(bytes[at] ?? 0)) at += 1;
  if (at === end && (first !== ZERO || end - start === 1)) return end - start < MIN_DIGITS_OUT_OF_RANGE;
  const text = bytes.toString("latin1", start, end);
  return exactNumber(text) !== undefined && Number.isFinite(Number(text));
}

/** Behind the last byte when there is none. */
function placeOf(byte: number, bytes: Buffer, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at < 0 ? bytes.length : at;
}

/**
 * Whether it is UTF-8 without control characters, which JSON text has in no string, and without spaces nowhere else; with
 * `lines`, line breaks do not count as such characters.
 */
export function isPlainText(bytes: Buffer, lines = false): boolean {
  if (!isUtf8(bytes)) return false;
  for (let control = 0; control < SPACE; control += 1)
    if (!(lines && isLineBreak(control)) && bytes.includes(control)) return false;
  return true;
}

/** Whether it has a line break. */
export function hasLineBreak(bytes: Buffer): boolean {
  return bytes.includes(CR) || bytes.includes(LF);
}

function isLineBreak(byte: number): boolean {
  return byte === CR || byte === LF;
}
