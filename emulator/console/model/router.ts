import { computed, signal } from "@preact/signals";

/** A view with what it shows; every one has an address that can be sent to a colleague. */
export interface Route {
  readonly view: string;
  /** What it shows of it, for example the id of an export. */
  readonly id: string | null;
  readonly query: URLSearchParams;
}

const hash = signal(window.location.hash);
window.addEventListener("hashchange", () => {
  hash.value = window.location.hash;
});

/** What the address names. */
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

/** An address of this page, in the past that is shown; what is null is left out of its query. */
export function addressOf(
  view: string,
  id?: string | null,
  query: Readonly<Record<string, string | number | null>> = {},
): string {
  const all = { as_of: route.value.query.get("as_of"), ...query };
  const given = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(given).toString();
  return `#/${view}${id ? `/${encodeURIComponent(id)}` : ""}${text === "" ? "" : `?${text}`}`;
}

/** Leads to another view; `replace` leaves no step in the history. */
export function go(address: string, replace = false): void {
  if (!replace) window.location.hash = address;
  else {
    history.replaceState(null, "", address);
    hash.value = address;
  }
}

/** The address of the current view with other members of the query. */
export function addressWith(query: Readonly<Record<string, string | number | null>>): string {
  const { view, id, query: old } = route.value;
  return addressOf(view, id, { ...Object.fromEntries(old), ...query });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
