import { asBuffer } from "./bytes.ts";
import { hasLineBreak, isPlainText, JsonWalk } from "./json-walk.ts";

const OPENING: ReadonlySet<number | undefined> = new Set(Buffer.from("{["));

/**
 * An object or an array that is kept as the bytes of its JSON text, which are those that `JSON.stringify` would make of it:
 * what is only stored is neither parsed nor made into text again.
 */
export class JsonText {
  readonly bytes: Buffer;
  readonly #source: TextSource | undefined;

  /** `source` is what the text is a part of, if it has many. */
  constructor(bytes: Buffer, source?: TextSource) {
    this.bytes = bytes;
    this.#source = source;
  }

  /** Whether these characters are in it. */
  includes(part: string): boolean {
    return this.#source?.includes(part) !== false && this.bytes.includes(part);
  }

  get value(): unknown {
    return JSON.parse(this.bytes.toString());
  }

  toJSON(): unknown {
    return this.value;
  }
}

/** Bytes with many texts in them: what all of them lack is searched for once, which takes less time than a search in each. */
export class TextSource {
  readonly #bytes: Buffer;
  readonly #found = new Map<string, boolean>();

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  includes(part: string): boolean {
    const cachedResult = this.#found.get(part);
    if (cachedResult !== undefined) return cachedResult;
    const isFound = this.#bytes.includes(part);
    this.#found.set(part, isFound);
    return isFound;
  }
}

/**
 * The text of bytes that are known to be UTF-8, and canonical or not; what cannot be kept is parsed. Throws a
 * `SyntaxError`.
 */
export function textOrValue(bytes: Buffer, isCanonical: boolean, source: TextSource): unknown {
  return isCanonical && OPENING.has(bytes[0]) ? new JsonText(bytes, source) : JSON.parse(bytes.toString());
}

/** The text of any bytes, or of some in a plain text with line breaks; undefined where it cannot be kept. */
export function keptText(bytes: Uint8Array, isOfPlainText = false): JsonText | undefined {
  const text = asBuffer(bytes);
  if (!OPENING.has(text[0]) || !(isOfPlainText ? !hasLineBreak(text) : isPlainText(text))) return undefined;
  const walk = new JsonWalk(text);
  return walk.value() && walk.isCanonical && walk.at === text.length ? new JsonText(text) : undefined;
}

/** A value, or that of a text with these characters in it; undefined for a text without them, which has no such member. */
export function valueWith(value: unknown, partOfName: string): unknown {
  if (!(value instanceof JsonText)) return value;
  return value.includes(partOfName) ? value.value : undefined;
}
