import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ListPage } from "../../subjects/control-list.ts";
import { useReply } from "../model/resource.ts";
import { addressWith, go, route } from "../model/router.ts";
import { Empty, Loaded } from "./states.tsx";
import { type Column, Table } from "./table.tsx";

/** Items that one press of "More" adds. */
const STEP = 100;
const REST_MS = 200;

interface ListProps<T> {
  readonly label: string;
  /** Below `/_emulator/v1`; the reply is a `ListPage` with `counts=1`. */
  readonly path: string;
  /** Query parameters with a choice of values, by their name for users. */
  readonly filters: Readonly<Record<string, string>>;
  readonly fixed?: Readonly<Record<string, string>>;
  readonly empty: ComponentChildren;
  /** Renders the items, newest first. */
  readonly children: (items: readonly T[]) => ComponentChildren;
}

/** A list with the numbers of shown and of all items, a search, filters, and a button for more. */
export function List<T>({ label, path, filters, fixed = {}, empty, children }: ListProps<T>) {
  const [limit, setLimit] = useState(STEP);
  const { query } = route.value;
  const parameters = new URLSearchParams({ ...fixed, counts: "1", limit: String(limit) });
  for (const name of ["text", ...Object.keys(filters)]) {
    const value = query.get(name);
    if (value) parameters.set(name, value);
  }
  const address = `${path}?${parameters}`;
  const page = useReply<ListPage<T>>(address, path + JSON.stringify(fixed));
  return (
    <Loaded resource={page}>
      {({ items, total, matching, values }) => (
        <section aria-label={`List: ${label}`} class="list">
          {total === 0 ? (
            <Empty>{empty}</Empty>
          ) : (
            <>
              <div class="row list-bar">
                <SearchField label={label} />
                {Object.entries(filters).map(([name, text]) => (
                  <Filter key={name} name={name} text={text} values={values[name] ?? []} />
                ))}
                <span class="muted" role="status">
                  {countText(items.length, matching, total)}
                </span>
              </div>
              {children(items.toReversed())}
              <More shown={items.length} of={matching} act={() => setLimit(limit + STEP)} />
            </>
          )}
        </section>
      )}
    </Loaded>
  );
}

interface TableListProps<T> extends Omit<ListProps<T>, "children"> {
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
}

/** A list as a table. */
export function TableList<T>({ columns, keyOf, ...list }: TableListProps<T>) {
  return (
    <List<T> {...list}>
      {(items) => <Table label={list.label} columns={columns} rows={items} keyOf={keyOf} />}
    </List>
  );
}

/** "newest 100 of 2,000", with the number of matches if not all match. */
function countText(shownCount: number, matching: number, total: number): string {
  const [matches, all] = [matching.toLocaleString("en"), total.toLocaleString("en")];
  const newest = shownCount < matching ? `newest ${shownCount.toLocaleString("en")} of ` : "";
  return matching === total ? `${newest}${all}` : `${newest}${matches} matching, ${all} in total`;
}

/** A button that adds items while some are not shown. */
export function More({ shown, of, act }: { shown: number; of: number; act: () => void }) {
  if (shown >= of) return null;
  return (
    <p>
      <button type="button" class="button" onClick={act}>
        Show {Math.min(STEP, of - shown)} more
      </button>
    </p>
  );
}

interface SearchFieldProps {
  readonly label: string;
  /** Parameters of the address that a new text removes. */
  readonly resets?: readonly string[];
}

/** A search whose text is in the address. */
export function SearchField({ label, resets = [] }: SearchFieldProps) {
  const [timer, setTimer] = useState(0);
  return (
    <label class="search">
      <span class="hidden">Search: {label}</span>
      <input
        type="search"
        placeholder="Search"
        spellcheck={false}
        value={route.value.query.get("text") ?? ""}
        onInput={({ currentTarget: { value } }) => {
          clearTimeout(timer);
          const removed = Object.fromEntries(resets.map((name) => [name, null]));
          const search = () => go(addressWith({ ...removed, text: value || null }), true);
          setTimer(window.setTimeout(search, REST_MS));
        }}
      />
    </label>
  );
}

interface FilterProps {
  readonly name: string;
  readonly text: string;
  readonly values: readonly string[];
}

/** A choice between the values of a filter, which is in the address. */
export function Filter({ name, text, values }: FilterProps) {
  const value = route.value.query.get(name) ?? "";
  const options = value === "" || values.includes(value) ? values : [value, ...values];
  return (
    <select
      aria-label={text}
      value={value}
      onChange={(event) => go(addressWith({ [name]: event.currentTarget.value || null }), true)}
    >
      <option value="">{text}: all</option>
      {options.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}
