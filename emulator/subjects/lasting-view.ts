/** About so many characters of JSON are kept in a process: a bound on what no one asks for again. */
const KEPT_MAX = 16 * 1024 * 1024;

interface Lasting {
  readonly settings: object;
  readonly view: object;
}

type Views = WeakMap<object, Lasting>;

/** By their records. What was not asked for since the generation before began is forgotten. */
let recent: Views = new WeakMap();
let older: Views = new WeakMap();
let kept = 0;

/** The JSON of views above. */
const texts = new WeakMap<object, string>();

/** The view of a record, made once and not to be changed: a record is never changed, but replaced by another. */
export function lastingView<View extends object>(settings: object, record: object, make: () => View): View {
  const known = recent.get(record);
  if (known?.settings === settings) return known.view as View;
  const before = older.get(record);
  const lasting = before?.settings === settings ? before : { settings, view: make() };
  if (lasting !== before) texts.set(lasting.view, "");
  recent.set(record, lasting);
  return lasting.view as View;
}

/** A value as JSON; in a list the text of lasting views is made once. */
export function jsonOf(value: unknown): string {
  if (!Array.isArray(value) || !texts.has(value[0])) return JSON.stringify(value);
  return `[${value.map(textOf).join(",")}]`;
}

function textOf(view: object): string {
  const known = texts.get(view);
  if (known) return known;
  const text = JSON.stringify(view);
  if (known === "") keep(view, text);
  return text;
}

function keep(view: object, text: string): void {
  texts.set(view, text);
  kept += text.length;
  if (kept < KEPT_MAX) return;
  [older, recent, kept] = [recent, new WeakMap(), 0];
}
