import { textOrJson } from "../../../contracts/spec/exact-json.ts";
import type { ParquetPage } from "../../subjects/object-storage/parquet-page.ts";
import { useReply } from "../model/resource.ts";
import { addressOf, addressWith, go, route } from "../model/router.ts";
import { SearchField } from "../parts/list.tsx";
import { Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Groups } from "./groups.tsx";

const PAGE_ROWS = 50;

/** A Parquet file that the server reads: pages of rows, schema, row groups, codecs and statistics. */
export function FileView() {
  const { id, query } = route.value;
  const [bucket, key] = [id ?? "", query.get("key") ?? ""];
  const offset = Math.max(0, Number(query.get("offset") ?? 0) || 0);
  const parameters = new URLSearchParams({ key, offset: String(offset), limit: String(PAGE_ROWS) });
  for (const name of ["text", "sort", "order"]) {
    const value = query.get(name);
    if (value) parameters.set(name, value);
  }
  const folder = `/s3/buckets/${encodeURIComponent(bucket)}/parquet`;
  const path = `${folder}?${parameters}`;
  const page = useReply<ParquetPage>(path, `${folder} ${key}`);
  return (
    <>
      <nav class="crumbs" aria-label="Path">
        <a href={addressOf("storage")}>Storage</a> / <a href={addressOf("storage", bucket)}>{bucket}</a> /{" "}
        <span class="mono">{key}</span>
      </nav>
      <h1>Rows of a file</h1>
      <Loaded resource={page}>{(value) => <FileContent page={value} objectKey={key} />}</Loaded>
    </>
  );
}

type Row = ParquetPage["rows"][number];

/** The key of an exported file contains the id of its export. */
const EXPORT_IN_KEY = /(?:^|\/)export_id=([^/]+)/;

function FileContent({ page, objectKey }: { readonly page: ParquetPage; readonly objectKey: string }) {
  const exportId = EXPORT_IN_KEY.exec(objectKey)?.[1] ?? null;
  const hidden = hiddenColumns();
  const inOrder = [...page.columns].sort((a, b) => rankOf(a.name) - rankOf(b.name));
  const visible = inOrder.filter(({ name }) => !hidden.includes(name));
  const columns: readonly Column<Row>[] = visible.map(({ name, type }) => ({
    name,
    title: type,
    sort: sortOf(name),
    show: (row) => <Cell name={name} value={row[name]} exportId={exportId} />,
  }));
  const { offset, rows_matching: matching } = page;
  const last = Math.min(matching, offset + PAGE_ROWS);
  return (
    <>
      <div class="row list-bar">
        <SearchField label="Rows" resets={["offset"]} />
        <span role="status">
          Rows {matching === 0 ? 0 : offset + 1} to {last} of {totalText(page)}
        </span>
        <span class="spacer" />
        {offset > 0 && (
          <a class="button" href={addressWith({ offset: Math.max(0, offset - PAGE_ROWS) })}>
            Previous {PAGE_ROWS}
          </a>
        )}
        {last < matching && (
          <a class="button" href={addressWith({ offset: last })}>
            Next {Math.min(PAGE_ROWS, matching - last)}
          </a>
        )}
      </div>
      <ColumnChoice names={inOrder.map(({ name }) => name)} />
      <Table
        label="Rows"
        columns={columns}
        rows={page.rows}
        keyOf={(row) => String(row.id ?? JSON.stringify(row))}
      />
      <Groups page={page} />
    </>
  );
}

/** The number of rows, of those that match a search, and of those that were read if not all were. */
function totalText({ rows_total, rows_matching, rows_read }: ParquetPage): string {
  const [total, matching, read] = [rows_total, rows_matching, rows_read].map((each) =>
    each.toLocaleString("en"),
  );
  const all = rows_matching === rows_read ? `${matching}` : `${matching} matching, ${total} in total`;
  if (rows_read === rows_total) return all;
  return `${all}; only the first ${read} of ${total} were read (limits.parquet_search_rows)`;
}

/** The order of the rows by a column: ascending, then descending, then that of the file. */
function sortOf(name: string): Column<Row>["sort"] {
  const { query } = route.value;
  const isSorted = query.get("sort") === name;
  const order = isSorted ? (query.get("order") === "desc" ? "desc" : "asc") : null;
  const toggle = () => {
    const next =
      order === "desc" ? { sort: null, order: null } : { sort: name, order: isSorted ? "desc" : null };
    go(addressWith({ ...next, offset: null }), true);
  };
  return { order, toggle };
}

/** Columns that say most about a row. */
const TELLING = ["id", "name", "run_type", "status", "start_time", "end_time", "error", "inputs", "outputs"];

function rankOf(name: string): number {
  const rank = TELLING.indexOf(name);
  return rank === -1 ? TELLING.length : rank;
}

/** The columns that the address hides. */
function hiddenColumns(): readonly string[] {
  return (route.value.query.get("hide") ?? "").split(",").filter((name) => name !== "");
}

function ColumnChoice({ names }: { readonly names: readonly string[] }) {
  const hidden = hiddenColumns();
  const toggle = (name: string) => {
    const next = hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name];
    go(addressWith({ hide: next.join(",") || null }), true);
  };
  return (
    <details>
      <summary>
        Columns: {names.length - hidden.length} of {names.length}
      </summary>
      <div class="row">
        {names.map((name) => (
          <label key={name}>
            <input type="checkbox" checked={!hidden.includes(name)} onChange={() => toggle(name)} /> {name}
          </label>
        ))}
      </div>
    </details>
  );
}

/** The id of a row links to the explanation why the export contains it. */
function Cell({ name, value, exportId }: { name: string; value: unknown; exportId: string | null }) {
  if (value === null || value === undefined) return <span class="none">null</span>;
  const text = textOrJson(value);
  if (name === "id")
    return (
      <a class="mono" href={addressOf("why", exportId, { run: text })}>
        {text}
      </a>
    );
  return (
    <span class="mono cell" title={text}>
      {text}
    </span>
  );
}
