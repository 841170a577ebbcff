import { computed, signal } from "@preact/signals";

/** A view and its selection. Each route has an address that can be sent to a colleague. */
export interface Route {
  readonly view: string;
  /** The selected item, for example the id of an export. */
  readonly id: string | null;
  readonly query: URLSearchParams;
}

const hash = signal(window.location.hash);
window.addEventListener("hashchange", () => {
  hash.value = window.location.hash;
});

/** The route of the current address. */
export const route = computed<Route>(() => {
  const [path = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?");
  const [view = "", ...rest] = path.split("/");
  const id = rest.join("/");
  return {
    view: view === "" ? "time" : view,
    id: id === "" ? null : decode(id),
    query: new URLSearchParams(query),
  };
});

/** An address of this page with the same `as_of`. Omits query parameters that are null. */
export function addressOf(
  view: string,
  id?: string | null,
  query: Readonly<Record<string, string | number | null>> = {},
): string {
  const parameters = { as_of: route.value.query.get("as_of"), ...query };
  const entries = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(entries).toString();
  return `#/${view}${id ? `/${encodeURIComponent(id)}` : ""}${text === "" ? "" : `?${text}`}`;
}

/** Opens another view; `replace` adds no entry to the browser's history. */
export function go(address: string, replace = false): void {
  if (!replace) window.location.hash = address;
  else {
    history.replaceState(null, "", address);
    hash.value = address;
  }
}

/** The address of the current view with changed query parameters. */
export function addressWith(query: Readonly<Record<string, string | number | null>>): string {
  const { view, id, query: currentQuery } = route.value;
  return addressOf(view, id, { ...Object.fromEntries(currentQuery), ...query });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
