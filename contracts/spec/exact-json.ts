/**
 * JSON that keeps the digits of its numbers and the order of its members. `JSON.parse` makes 9007199254740992 of
 * `9007199254740993` and 10 of `10.0`, and moves members named by integers to the front. Here such a number, and each such
 * name, is a string that begins with a mark. The marks are second halves of surrogate pairs, which no request can contain
 * alone (`parseStorable`).
 */
const NUMBER_MARK = "\udc00";
const NAME_MARK = "\udc01";
const MARKS_IN_JSON = /"\\udc0(?:0([^"]*)"(:?)|1)/g;
const NUMERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const INTEGER_NAME = /^(?:0|[1-9]\d{0,9})$/;
/** The characters of the longest one in quotes, each as an escape. */
const MAX_NAME_CHARACTERS = 62;
const COLON_NEXT = /[ \t\r\n]*:/y;
const SURROGATE = /\\u[dD]/;
const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x30, 0x39];

/** The value of a JSON text, with marks. Throws a `SyntaxError`. */
export function parseExact(text: string): unknown {
  return JSON.parse(withMarks(text));
}

/** The JSON text of a value with marks, which are removed. A number that became a name is a name. */
export function printExact(
  value: unknown,
  replacer?: (name: string, value: unknown) => unknown,
  indent?: number,
): string {
  const text = JSON.stringify(value, replacer, indent);
  return text?.includes("\\udc0")
    ? text.replace(MARKS_IN_JSON, (_, numeral?: string, colon?: string) =>
        colon ? `"${numeral}":` : (numeral ?? '"'),
      )
    : text;
}

/** Whether a value is a text; a marked number is not. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && !value.startsWith(NUMBER_MARK);
}

/** A text as it is, any other value as JSON. */
export function textOrJson(value: unknown): string {
  return isText(value) ? value : printExact(value);
}

/** The numeral behind a mark; undefined for any other value. */
export function markedNumeral(value: unknown): string | undefined {
  return typeof value === "string" && value.startsWith(NUMBER_MARK) ? value.slice(1) : undefined;
}

/** A value with a marked number as the nearest double. */
export function plainNumber(value: unknown): unknown {
  const numeral = markedNumeral(value);
  return numeral === undefined ? value : Number(numeral);
}

/** A value with a marked number as a double, which is NaN if it would be another number. */
export function declaredNumber(value: unknown): unknown {
  const number = plainNumber(value);
  return number === value || canonicalNumeral(number) === canonicalNumeral(value) ? number : Number.NaN;
}

/** Equal for equal numbers, marked or not: `10`, `10.0` and `1e1` are the same. Undefined for anything else. */
export function canonicalNumeral(value: unknown): string | undefined {
  const numeral = typeof value === "number" ? String(value) : markedNumeral(value);
  const parts = numeral === undefined ? null : PARTS.exec(numeral);
  if (!parts) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = parts;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  // A regular expression would begin at each zero of a long row of them.
  let length = digits.length;
  while (digits[length - 1] === "0") length -= 1;
  if (length === 0) return "0";
  const power = Number(exponent) - fraction.length + digits.length - length;
  return `${sign}${digits.slice(0, length)}e${power}`;
}

/** Whether two values that are neither lists nor objects are equal; numbers with other digits may be. */
export function isSameScalar(one: unknown, other: unknown): boolean {
  const numeral = canonicalNumeral(one);
  return numeral === undefined ? Object.is(one, other) : numeral === canonicalNumeral(other);
}

/** The same for any values; the order of members makes no difference. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return isSameScalar(one, other);
  const [members, others] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  if (Array.isArray(one) !== Array.isArray(other) || members.size !== others.size) return false;
  return [...members].every(([name, inner]) => others.has(name) && isSameValue(inner, others.get(name)));
}

/** A value to compare: a marked number is a number, or its numeral if a double would be another number. */
export function comparableScalar(value: unknown): unknown {
  const numeral = markedNumeral(value);
  if (numeral === undefined) return value;
  const number = declaredNumber(value) as number;
  // Adding zero turns -0 into 0.
  return Number.isNaN(number) ? numeral : number + 0;
}

/** A numeral of JSON as a number, with a mark if a double has other digits; undefined for another text. */
export function exactNumber(text: string): number | string | undefined {
  if (hasOtherDigits(text)) return NUMBER_MARK + text;
  return NUMERAL.test(text) ? Number(text) : undefined;
}

/** Whether a text is a numeral that a double is printed differently from. */
function hasOtherDigits(text: string): boolean {
  return String(Number(text)) !== text && NUMERAL.test(text);
}

/** The name that a member has in a parsed value. */
export function markedName(name: string): string {
  return INTEGER_NAME.test(name) ? NAME_MARK + name : name;
}

/** The name that a member of a parsed value has in its text. */
export function plainName(name: string): string {
  return name.startsWith(NAME_MARK) ? name.slice(1) : name;
}

/** A value without marks: numbers are rounded to doubles, and members named by integers come first. */
export function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== "object" || value === null) return plainNumber(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [plainName(name), withoutMarks(inner)]),
  );
}

/** A value that cannot be stored and read back unchanged. The message begins with the path of the member. */
export class UnstorableValue extends Error {}

/**
 * The same for a request. Throws an `UnstorableValue` for a number outside the range of doubles and for half of a surrogate
 * pair; `where` names the value in its message.
 */
export function parseStorable(text: string, where: string): unknown {
  const markedText = withMarks(text);
  const mayBeUnstorable = SURROGATE.test(text) || (markedText !== text && hasLargeNumber(markedText));
  const problem = mayBeUnstorable ? problemIn(JSON.parse(text), where) : undefined;
  if (problem !== undefined) throw new UnstorableValue(problem);
  return JSON.parse(markedText);
}

/** Whether a marked number is outside the range of doubles. */
function hasLargeNumber(markedText: string): boolean {
  for (const [, numeral] of markedText.matchAll(MARKS_IN_JSON))
    if (numeral !== undefined && !Number.isFinite(Number(numeral))) return true;
  return false;
}

function problemIn(value: unknown, where: string): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value))
    return `${where}: the number is out of range; it must be smaller than 1.8e308`;
  if (typeof value === "string") return halfPairIn(value, where);
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const path = Array.isArray(value) ? `${where}[${name}]` : `${where}.${name}`;
    const problem = halfPairIn(name, where) ?? problemIn(inner, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function halfPairIn(text: string, where: string): string | undefined {
  if (text.isWellFormed()) return undefined;
  return `${where}: contains half of a surrogate pair, which is not a Unicode character; send both halves or neither`;
}

/** The text with a mark in each number and name that `JSON.parse` would change. A text that is not JSON stays invalid. */
function withMarks(text: string): string {
  let [result, copiedTo, at] = ["", 0, 0];
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (isIntegerName(text, at, end)) {
        result += `${text.slice(copiedTo, at + 1)}\\udc01`;
        copiedTo = at + 1;
      }
      at = end;
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      const numeral = text.slice(at, end);
      if (hasOtherDigits(numeral)) {
        result += `${text.slice(copiedTo, at)}"\\udc00${numeral}"`;
        copiedTo = end;
      }
      at = end;
    } else at += 1;
  }
  return copiedTo === 0 ? text : result + text.slice(copiedTo);
}

/** Behind the closing quote, before which the number of backslashes is even. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

function endOfNumber(text: string, from: number): number {
  let at = from + 1;
  for (let code = text.charCodeAt(at); isOfNumber(code); code = text.charCodeAt(at)) at += 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Digits, point, signs and exponent. */
function isOfNumber(code: number): boolean {
  return isDigit(code) || code === 0x2e || code === 0x2b || code === MINUS || (code | 0x20) === 0x65;
}

function isIntegerName(text: string, from: number, end: number): boolean {
  const first = text.charCodeAt(from + 1);
  if (end - from > MAX_NAME_CHARACTERS || !(isDigit(first) || first === BACKSLASH)) return false;
  COLON_NEXT.lastIndex = end;
  if (!COLON_NEXT.test(text)) return false;
  try {
    return INTEGER_NAME.test(JSON.parse(text.slice(from, end)));
  } catch {
    return false;
  }
}
