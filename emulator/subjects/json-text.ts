import { parseExact, parseStorable, printExact } from "../../contracts/spec/exact-json.ts";
import { asBuffer } from "./bytes.ts";
import { hasLineBreak, isPlainText, JsonWalk } from "./json-walk.ts";

const OPENING: ReadonlySet<number | undefined> = new Set(Buffer.from("{["));

/**
 * An object or an array that is kept as the bytes of its JSON text, which are those that `printExact` would make of it:
 * what is only stored is neither parsed nor made into text again.
 */
export class JsonText {
  readonly bytes: Buffer;
  readonly #source: TextSource | undefined;
  #value: unknown;

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
    this.#value ??= parseExact(this.bytes.toString());
    return this.#value;
  }

  toJSON(): unknown {
    if (!placedTexts) return this.value;
    placedTexts.push(this);
    return PLACE;
  }
}

/** Stands for a text until its bytes are copied. */
const PLACE = "\0 a text";
const PLACE_BYTES = Buffer.from(JSON.stringify(PLACE));

/** The texts of the value that `jsonWithTexts` writes. */
let placedTexts: JsonText[] | undefined;

/** A value as JSON; bytes if there are texts in it, which are copied. */
export function jsonWithTexts(value: unknown): string | Buffer {
  const texts: JsonText[] = [];
  placedTexts = texts;
  let json: string;
  try {
    json = printExact(value);
  } finally {
    placedTexts = undefined;
  }
  if (texts.length === 0) return json;
  const frame = Buffer.from(json);
  const textBytes = texts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const result = Buffer.allocUnsafe(frame.length + textBytes - texts.length * PLACE_BYTES.length);
  let [from, length] = [0, 0];
  for (const { bytes } of texts) {
    const place = frame.indexOf(PLACE_BYTES, from);
    length += frame.copy(result, length, from, place);
    length += bytes.copy(result, length);
    from = place + PLACE_BYTES.length;
  }
  // A string of the value may look like a place. Then one more place is left.
  if (frame.includes(PLACE_BYTES, from)) return printExact(value);
  frame.copy(result, length, from);
  return result;
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
 * `SyntaxError` or an `UnstorableValue`.
 */
export function textOrValue(bytes: Buffer, isCanonical: boolean, source?: TextSource): unknown {
  return isCanonical && OPENING.has(bytes[0])
    ? new JsonText(bytes, source)
    : parseStorable(bytes.toString(), "");
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

/** The value of a text; any other value is itself. */
export function valueOf(value: unknown): unknown {
  return value instanceof JsonText ? value.value : value;
}
