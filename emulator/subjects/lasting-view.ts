import { printExact } from "../../contracts/spec/exact-json.ts";
import { jsonWithTexts } from "./json-text.ts";

/** About so many characters of JSON are kept in a process: a bound on what no one asks for again. */
const MAX_KEPT = 16 * 1024 * 1024;

interface Lasting {
  readonly settings: object;
  readonly view: object;
}

type Views = WeakMap<object, Lasting>;

/** By their records. What was not asked for since the generation before began is forgotten. */
let recent: Views = new WeakMap();
let older: Views = new WeakMap();
let cachedChars = 0;

/** The JSON of views above. */
const texts = new WeakMap<object, string>();

interface List {
  readonly views: readonly object[];
  readonly body: Uint8Array;
}

/** By the first view of each, the latest list that begins with it: most clients ask for the same one again. */
const lists = new WeakMap<object, List>();

/** A short text is sent together with its headers; a longer one is encoded once, for the socket and the recording. */
const SHORT_TEXT = 4096;

/** The view of a record, made once and not to be changed: a record is never changed, but replaced by another. */
export function lastingView<View extends object>(settings: object, record: object, make: () => View): View {
  const cachedView = recent.get(record);
  if (cachedView?.settings === settings) return cachedView.view as View;
  const before = older.get(record);
  const lasting = before?.settings === settings ? before : { settings, view: make() };
  if (lasting !== before) texts.set(lasting.view, "");
  recent.set(record, lasting);
  return lasting.view as View;
}

/** A value as JSON, long ones encoded; the text of a lasting view in a list is made once, and so is a list of the same views. */
export function jsonBody(value: unknown): string | Uint8Array {
  if (!Array.isArray(value) || !texts.has(value[0])) return encoded(jsonWithTexts(value));
  const cachedList = lists.get(value[0]);
  if (cachedList && isSame(cachedList.views, value)) return cachedList.body;
  const body = encoded(`[${value.map(textOf).join(",")}]`);
  if (typeof body === "string") return body;
  lists.set(value[0], { views: value, body });
  count(body.length);
  return body;
}

function encoded(text: string | Uint8Array): string | Uint8Array {
  return typeof text !== "string" || text.length < SHORT_TEXT ? text : Buffer.from(text);
}

function isSame(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((view, index) => view === b[index]);
}

function textOf(view: object): string {
  const cachedText = texts.get(view);
  if (cachedText) return cachedText;
  const text = printExact(view);
  if (cachedText === "") keep(view, text);
  return text;
}

function keep(view: object, text: string): void {
  texts.set(view, text);
  count(text.length);
}

function count(characters: number): void {
  cachedChars += characters;
  if (cachedChars < MAX_KEPT) return;
  [older, recent, cachedChars] = [recent, new WeakMap(), 0];
}
