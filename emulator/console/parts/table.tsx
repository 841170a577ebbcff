import type { ComponentChildren } from "preact";

/** A column: its heading, what it shows of a row, and whether it holds numbers. */
export interface Column<T> {
  readonly name: string;
  readonly show: (row: T) => ComponentChildren;
  readonly number?: true;
  /** Shown for its heading. */
  readonly title?: string;
}

interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

/** A table that scrolls by itself where the window is narrow. */
export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>) {
  return (
    <section class="table-box" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, number, title }) => (
              <th key={name} scope="col" class={number ? "number" : ""} title={title}>
                {name}
              </th>
            ))}
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
