import { refuse } from "./refused.ts";

/** An element's content: text, child elements, or the same element several times. */
export type XmlContent = string | number | boolean | null | undefined | XmlElements | readonly XmlContent[];

/** Child elements in their order. A name may be followed by attributes. */
export interface XmlElements {
  readonly [name: string]: XmlContent;
}

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

/** Writes a document; `undefined` leaves an element out, `null` leaves it empty. */
export function writeXml(root: string, content: XmlContent, namespace = true): string {
  const attribute = namespace ? ` xmlns="${NAMESPACE}"` : "";
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${inside(content)}</${root}>`;
}

function inside(content: XmlContent): string {
  if (content === null || content === undefined) return "";
  if (typeof content !== "object") return escape(String(content));
  return Object.entries(content as XmlElements)
    .map(([name, value]) => element(name, value))
    .join("");
}

function element(name: string, value: XmlContent): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map((item: XmlContent) => element(name, item)).join("");
  const text = inside(value);
  return text === "" ? `<${name}/>` : `<${name}>${text}</${name.split(" ", 1)}>`;
}

const NAMED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Control characters are written as references, as by the real service: a reader would normalize line ends. */
function escape(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters have to be escaped.
  return text.replace(/[&<>"\u0000-\u001f\u007f\ufffe\uffff]/g, (sign) => {
    return NAMED[sign] ?? `&#x${sign.charCodeAt(0).toString(16)};`;
  });
}

type XmlDocument = Readonly<Record<string, unknown>>;

/** Documents of clients have three levels. */
const MAX_DEPTH = 8;
/** The parser takes microseconds for each mark. Ten thousand parts with two checksums have 70,003. */
const MAX_MARKS = 100_000;
/** The start of an element, of the value of an attribute, or of a reference. */
const MARK = /<[^/]|=\s*["']|&/;
/** The longest tag of a client names a namespace. */
const LONG_TAG = /<[^<>]{1024}/;

/** Reads a document with this root element; all values are text. */
export async function readXml(text: string, root: string): Promise<XmlDocument> {
  const { XMLParser } = await import("fast-xml-parser");
  const parser = new XMLParser({
    ignoreAttributes: true,
    removeNSPrefix: true,
    parseTagValue: false,
    trimValues: false,
    htmlEntities: true,
    maxNestedTags: MAX_DEPTH,
  });
  // A document type could define entities that expand without limit. No client sends one.
  if (text.includes("<!DOCTYPE")) throw refuse("MalformedXML");
  if (LONG_TAG.test(text) || text.split(MARK, MAX_MARKS + 1).length > MAX_MARKS) {
    const message = `The document has a tag of more than 1024 characters, or more than ${MAX_MARKS} elements, attributes and references. Send a smaller document.`;
    throw refuse("MalformedXML", message);
  }
  let document: XmlDocument;
  try {
    document = parser.parse(text, true) as XmlDocument;
  } catch {
    throw refuse("MalformedXML");
  }
  if (!Object.hasOwn(document, root)) throw refuse("MalformedXML");
  const content = document[root];
  return typeof content === "object" && content !== null ? (content as XmlDocument) : {};
}

/** All child elements of a name. */
export function childrenOf(parent: XmlDocument, name: string): readonly XmlDocument[] {
  const value = Object.hasOwn(parent, name) ? parent[name] : [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map((item) => {
    if (typeof item !== "object" || item === null) throw refuse("MalformedXML");
    return item as XmlDocument;
  });
}

/** The text of a child element. */
export function childText(parent: XmlDocument, name: string): string | undefined {
  const value = Object.hasOwn(parent, name) ? parent[name] : undefined;
  return typeof value === "string" ? value : undefined;
}
