import { isUtf8 } from "node:buffer";

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [ZERO, NINE, SPACE, CR, LF] = [0x30, 0x39, 0x20, 0x0d, 0x0a];
/** What `JSON.stringify` puts behind a backslash; it also writes `\u` for some characters, which are rare. */
const ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\bfnrt'));
const WORDS: ReadonlySet<string> = new Set(["true", "false", "null"]);
/** So many digits are a number that prints as it stands. */
const EXACT_DIGITS_MAX = 15;
/** Objects with more members, and what is nested deeper, are left to whoever parses. */
const MEMBERS_MAX = 64;
const DEPTH_MAX = 150;
const HASH_PRIME = 0x01000193;

/**
 * Walks over JSON text in UTF-8 without making values. A step answers false for what is no JSON as far as it looks; a text
 * that is walked over is JSON for certain only if it is canonical.
 */
export class JsonWalk {
  readonly bytes: Buffer;
  at = 0;
  /** The next one. */
  #backslash = -1;
  /** Whether all since it was last set to true is as `JSON.stringify` would write it, in this order and with these spaces. */
  isCanonical = true;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** From the first byte of a value to behind its last one. */
  value(depthLeft = DEPTH_MAX): boolean {
    const byte = this.bytes[this.at];
    if (byte === QUOTE) return this.text();
    if (byte === OPEN_OBJECT) return depthLeft > 0 && this.#object(depthLeft - 1);
    if (byte === OPEN_LIST) return depthLeft > 0 && this.#values(depthLeft - 1);
    return this.#word();
  }

  /** In a function of its own: one that has a closure takes memory for its variables at each call. */
  #values(depthLeft: number): boolean {
    return this.list(() => this.value(depthLeft));
  }

  /** Walks over a list; `item` walks over each of its items. */
  list(item: () => boolean): boolean {
    return this.#enclosed(CLOSE_LIST, item);
  }

  /** Walks over an object; `member` is called with where each name begins and ends, and walks over its value. */
  object(member: (start: number, end: number) => boolean): boolean {
    return this.#enclosed(CLOSE_OBJECT, () => {
      const start = this.at + 1;
      if (this.bytes[this.at] !== QUOTE || !this.text()) return false;
      const end = this.at - 1;
      this.#pastSpace();
      if (this.bytes[this.at++] !== COLON) return false;
      this.#pastSpace();
      return member(start, end);
    });
  }

  /** Walks over a string, from quote to quote. What has no backslash before its end is not looked at byte by byte. */
  text(): boolean {
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

  /** Objects with a name twice, and names that are numbers, which come first in every object, are not canonical. */
  #object(depthLeft: number): boolean {
    const names: number[] = [];
    return this.object((start, end) => {
      const name = hashOf(this.bytes, start, end);
      const first = this.bytes[start] ?? 0;
      if (isDigit(first) || names.length === MEMBERS_MAX || names.includes(name)) this.isCanonical = false;
      else names.push(name);
      return this.value(depthLeft);
    });
  }

  #enclosed(close: number, each: () => boolean): boolean {
    this.at += 1;
    this.#pastSpace();
    if (this.bytes[this.at] === close) {
      this.at += 1;
      return true;
    }
    for (;;) {
      if (!each()) return false;
      this.#pastSpace();
      const byte = this.bytes[this.at++];
      if (byte === close) return true;
      if (byte !== COMMA) return false;
      this.#pastSpace();
    }
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
  if (at === end && end - start <= EXACT_DIGITS_MAX && (first !== ZERO || end - start === 1)) return true;
  const text = bytes.toString("latin1", start, end);
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text;
}

/** Behind the last byte when there is none. */
function placeOf(byte: number, bytes: Buffer, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at < 0 ? bytes.length : at;
}

/**
 * Whether it is UTF-8 without control characters, which JSON text has in no string, and without spaces nowhere else; with
 * `lines`, line breaks are no such characters.
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

/** Names with the same hash may be different. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), HASH_PRIME);
  return hash;
}
