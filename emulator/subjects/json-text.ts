import { asBuffer } from "./bytes.ts";
import { hasLineBreak, isPlainText, JsonWalk } from "./json-walk.ts";

const OPENING: ReadonlySet<number | undefined> = new Set(Buffer.from("{["));

/**
 * An object or an array that is kept as the bytes of its JSON text, which are those that `JSON.stringify` would make of it:
 * what is only stored is neither parsed nor made into text again.
 */
export class JsonText {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get value(): unknown {
    return JSON.parse(this.bytes.toString());
  }

  toJSON(): unknown {
    return this.value;
  }
}

/** The text of bytes that are known to be UTF-8, and canonical or not; what cannot be kept is parsed. Throws a `SyntaxError`. */
export function textOrValue(bytes: Buffer, isCanonical: boolean): unknown {
  return isCanonical && OPENING.has(bytes[0]) ? new JsonText(bytes) : JSON.parse(bytes.toString());
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
  return value.bytes.includes(partOfName) ? value.value : undefined;
}
