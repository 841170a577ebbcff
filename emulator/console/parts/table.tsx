import type { ComponentChildren } from "preact";

/** A column: its heading, its cell of a row, and whether it contains numbers. */
export interface Column<T> {
  readonly name: string;
  readonly show: (row: T) => ComponentChildren;
  readonly number?: true;
  /** The tooltip of the heading. */
  readonly title?: string;
  /** Makes the heading a button that sorts. */
  readonly sort?: { readonly order: "asc" | "desc" | null; readonly toggle: () => void };
}

const ORDERS = { asc: ["ascending", " ↑"], desc: ["descending", " ↓"] } as const;

interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

/** A table that scrolls on its own in a narrow window. */
export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>) {
  return (
    <section class="table-box" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, number, title, sort }) => {
              const [order, arrow] = sort?.order ? ORDERS[sort.order] : [undefined, ""];
              return (
                <th key={name} scope="col" class={number ? "number" : ""} title={title} aria-sort={order}>
                  {sort ? (
                    <button type="button" class="sort" onClick={sort.toggle}>
                      {name}
                      <span aria-hidden="true">{arrow}</span>
                    </button>
                  ) : (
                    name
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, show, number }) => (
                <td key={name} class={number ? "number" : ""}>
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
