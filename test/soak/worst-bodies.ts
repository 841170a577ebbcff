import { gzipSync } from "node:zlib";
import type { Field } from "../../contracts/spec/fields.ts";
import { OPERATIONS } from "../../contracts/spec/operations.ts";
import { CONTROL_OPERATIONS } from "../../emulator/control/gateway.ts";
import { CONTROL_PREFIX } from "../../emulator/subjects/control-prefix.ts";

/** A request whose body costs as much as its bytes allow. */
export interface WorstBody {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** On the port of the object store, with a signature. */
  readonly isS3?: true;
  readonly body: () => string | Buffer;
}

/** The id of the thread, run or project that a request means. */
export const ID = "00000000-0000-4000-8000-00000000000a";
const JSON_TYPE = "application/json";
const JSON_HEADERS: WorstBody["headers"] = { "content-type": JSON_TYPE };

const repeated = (text: string, bytes: number) => text.repeat(Math.max(1, Math.floor(bytes / text.length)));
/** Members or items with a number in each, in about so many bytes. */
function numbered(bytes: number, each: (number: number) => string): string {
  const items: string[] = [];
  for (let [number, length] = [0, 0]; length < bytes; number += 1) {
    const item = each(number);
    items.push(item);
    length += item.length + 1;
  }
  return items.join(",");
}
const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const nested = (levels: number, inner: string) => "[".repeat(levels) + inner + "]".repeat(levels);

/** JSON texts of about so many bytes, by what is bad about them. */
const SHAPES: Readonly<Record<string, (bytes: number) => string>> = {
  zeros: (bytes) => `[${repeated("0,", bytes)}0]`,
  "empty objects": (bytes) => `[${repeated("{},", bytes)}{}]`,
  "empty lists": (bytes) => `[${repeated("[],", bytes)}[]]`,
  "empty texts": (bytes) => `[${repeated('"",', bytes)}""]`,
  texts: (bytes) => `[${numbered(bytes, (number) => `"t${number}"`)}]`,
  ids: (bytes) => `[${numbered(bytes, (number) => `"${idOf(number)}"`)}]`,
  objects: (bytes) => `[${numbered(bytes, (number) => `{"a":${number}}`)}]`,
  "different objects": (bytes) => `[${numbered(bytes, (number) => `{"a${number}":0}`)}]`,
  keys: (bytes) => `{${numbered(bytes, (number) => `"k${number}":0`)}}`,
  "keys with a dot": (bytes) => `{${numbered(bytes, (number) => `"k.${number}":{}`)}}`,
  "objects of 100 keys": (bytes) =>
    `[${numbered(bytes / 1_090, (object) => `{${numbered(1_090, (number) => `"k${object * 100 + number}":0`)}}`)}]`,
  "number keys": (bytes) => `{${numbered(bytes, (number) => `"${4_000_000_000 - number * 37}":0`)}}`,
  "the same key": (bytes) => `{${repeated('"a":0,', bytes)}"a":0}`,
  levels: (bytes) => nested(Math.floor(bytes / 2), ""),
  "levels of objects": (bytes) => `${repeated('{"a":', bytes / 1.2)}0${repeated("}", bytes / 6)}`,
  "wide at 190 levels": (bytes) => nested(190, `${repeated("0,", bytes)}0`),
  "lists of 190 levels": (bytes) => `[${repeated(`${nested(190, "")},`, bytes)}0]`,
  "a long text": (bytes) => `"${repeated("a", bytes)}"`,
  "a text of escapes": (bytes) => `"${repeated("\\u0000", bytes)}"`,
  "a text of quotes": (bytes) => `"${repeated('\\"', bytes)}"`,
  "a text of half pairs": (bytes) => `"${repeated("\\ud800", bytes)}"`,
  "a text of spaces": (bytes) => `"${repeated(" ", bytes)}x"`,
  "a text of brackets": (bytes) => `"${repeated("[", bytes)}"`,
  "a text of words": (bytes) => `"${repeated("ab ", bytes)}"`,
  "a text of emoji": (bytes) => `"${repeated("😀", bytes / 2)}"`,
  "a long number": (bytes) => repeated("1", bytes),
  "a long fraction": (bytes) => `0.${repeated("0", bytes)}1`,
  "a long key": (bytes) => `{"${repeated("k", bytes)}":0}`,
  spaces: (bytes) => `[${repeated(" ", bytes)}]`,
};

/** Shapes of filters: texts that a parser and a `like` pattern have to look at. */
const FILTERS: Readonly<Record<string, (bytes: number) => string>> = {
  clauses: (bytes) => `and(${repeated('eq(name,"a"),', bytes)}eq(name,"a"))`,
  nested: (bytes) => `${repeated("and(", bytes)}`,
  "many or": (bytes) => `or(${repeated("eq(a,1),", bytes)}eq(a,1))`,
  "like of percents": (bytes) => `like(name,"${repeated("%a", bytes)}b")`,
  "search of words": (bytes) => `search("${repeated("a ", bytes)}")`,
  "in of texts": (bytes) => `in(name,[${repeated('"a",', bytes)}"a"])`,
  "open quotes": (bytes) => repeated('"', bytes),
  blanks: (bytes) => `eq(name,${repeated(" ", bytes)}`,
};

interface Schema extends Field<unknown> {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** A value that fits: the first that the schema admits. */
function fitting({
  type,
  enum: values,
  format,
  properties = {},
  required = [],
  items,
  anyOf,
}: Schema): unknown {
  if (values) return values[0];
  if (anyOf) return fitting(anyOf[0] as Schema);
  switch ([type].flat()[0]) {
    case "string":
      return format === "uuid" ? ID : format === "date-time" ? "2026-03-01T00:00:00Z" : "PT1H";
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "array":
      return items ? [fitting(items)] : [];
    default:
      return Object.fromEntries(required.map((name) => [name, fitting(properties[name] as Schema)]));
  }
}

const SLOT = "\u0001";

/** Where a shape can stand in a body: as a whole, as each member, and as each member of an item of a list. */
function placesIn(schema: Schema): readonly { readonly where: string; readonly around: string }[] {
  const whole = { where: "body", around: JSON.stringify(SLOT) };
  if (schema.anyOf) return [whole, ...schema.anyOf.flatMap((each) => placesIn(each).slice(1))];
  const { properties = {} } = schema;
  const base = fitting(schema) as object;
  return [
    whole,
    ...Object.keys(properties).map((name) => ({
      where: `body.${name}`,
      around: JSON.stringify({ ...base, [name]: SLOT }),
    })),
  ];
}

/** Each shape in each place of the body of each operation. */
export function* bodiesOfOperations(bytes: number): Iterable<WorstBody> {
  const control = CONTROL_OPERATIONS.map((row) => ({ ...row, path: `${CONTROL_PREFIX}v1${row.path}` }));
  for (const { method, path, body, bodyMedia } of [...Object.values(OPERATIONS), ...control] as readonly {
    readonly method: string;
    readonly path: string;
    readonly body?: Schema;
    readonly bodyMedia?: readonly string[];
  }[]) {
    if (!body || (bodyMedia && !bodyMedia.includes(JSON_TYPE))) continue;
    const target = { method, path: path.replace(/\{[^}]*\}/g, ID), headers: JSON_HEADERS };
    for (const { where, around } of placesIn(body)) {
      const put = (text: string) => around.replace(JSON.stringify(SLOT), () => text);
      for (const [shape, textOf] of Object.entries(SHAPES))
        yield { ...target, name: `${method} ${path} ${where}: ${shape}`, body: () => put(textOf(bytes)) };
      if (where.endsWith("filter"))
        for (const [shape, textOf] of Object.entries(FILTERS))
          yield {
            ...target,
            name: `${method} ${path} ${where}: ${shape}`,
            body: () => put(JSON.stringify(textOf(bytes))),
          };
    }
  }
}

const MULTIPART = "multipart/form-data; boundary=b";
const partOf = (name: string, text: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${text}\r\n`;

/** Bodies of other formats, and those that once ended the process or blocked it for seconds. */
export function otherBodies(bytes: number): readonly WorstBody[] {
  const post = (name: string, path: string, body: WorstBody["body"], headers = JSON_HEADERS): WorstBody => ({
    name: `${name}, POST ${path}`,
    method: "POST",
    path,
    headers,
    body,
  });
  const form = (name: string, body: () => string) =>
    post(name, "/runs/multipart", () => `${body()}--b--\r\n`, { "content-type": MULTIPART });
  const protobuf = (name: string, ...repeatedBytes: readonly number[]) =>
    post(name, "/otel/v1/traces", () => Buffer.alloc(bytes, Buffer.from(repeatedBytes)), {
      "content-type": "application/x-protobuf",
    });
  const packed = (name: string, text: () => string) =>
    post(name, "/runs/batch", () => gzipSync(text()), { ...JSON_HEADERS, "content-encoding": "gzip" });
  const xml = (name: string, path: string, root: string, text: string): WorstBody => ({
    ...post(name, path, () => `<${root}>${repeated(text, bytes)}</${root}>`),
    isS3: true,
  });
  const items = () => `{"post":[${repeated("{},", bytes)}{}]}`;
  const manyParts = (textOf: (number: number) => string, each: number) => () =>
    Array.from({ length: bytes / each }, (_, number) => partOf(`post.${idOf(number)}`, textOf(number))).join(
      "",
    );
  const manySpans = () => `{"resourceSpans":[{"scopeSpans":[{"spans":[${repeated("{},", bytes)}{}]}]}]}`;
  const wide = () => `[${repeated("{},", 5_000)}0]`;
  return [
    post("empty items", "/runs/batch", items),
    post("metadata keys", "/threads/search", () => `{"metadata":${SHAPES.keys?.(bytes)}}`),
    post("spans", "/otel/v1/traces", manySpans),
    post("query parameters", `/runs/query?${repeated("id=1&", 12_000)}`, () => "{}"),
    form(
      "tiny parts",
      manyParts(() => "{}", 130),
    ),
    form("parts of the same name", () => repeated(partOf("post", "0"), bytes)),
    form("wide parts", manyParts(wide, 5_130)),
    form(
      "keys",
      manyParts((part) => `{${numbered(5_000, (number) => `"k${part}.${number}":0`)}}`, 5_130),
    ),
    form("dashes", () => `--b\r\n${repeated("\r\n--a", bytes)}`),
    protobuf("empty messages", 0x0a, 0),
    protobuf("groups", 0x0b),
    packed("compressed items", items),
    packed("compressed spaces", () => repeated(" ", 10 * bytes)),
    xml("keys", "/traces?delete", "Delete", "<Object><Key>k</Key></Object>"),
    xml("elements", "/traces?delete", "Delete", "<a/>"),
    xml("levels", "/traces?delete", "Delete", "<a>"),
    xml("entities", "/traces?delete", "Delete", "&amp;"),
    xml("parts", "/traces/k?uploadId=1", "CompleteMultipartUpload", "<Part/>"),
  ];
}
