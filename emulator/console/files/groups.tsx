import { textOrJson } from "../../../contracts/spec/exact-json.ts";
import type { ParquetPage } from "../../subjects/object-storage/parquet-page.ts";
import { count } from "../model/count.ts";
import { type Column, Table } from "../parts/table.tsx";

type Chunk = ParquetPage["row_groups"][number]["columns"][number];

/** The row groups of a Parquet file with their column chunks. */
export function Groups({ page }: { readonly page: ParquetPage }) {
  const types = new Map(page.columns.map(({ name, type }) => [name, type]));
  const columns: readonly Column<Chunk>[] = [
    { name: "Column", show: ({ name }) => <span class="mono">{name}</span> },
    { name: "Type", show: ({ name }) => types.get(name.split(".")[0] ?? "") ?? "" },
    { name: "Codec", show: ({ codec }) => codec },
    { name: "Encodings", show: ({ encodings }) => encodings.join(", ") },
    { name: "Bytes", number: true, show: ({ bytes }) => bytes.toLocaleString("en") },
    { name: "Uncompressed", number: true, show: (chunk) => chunk.bytes_uncompressed.toLocaleString("en") },
    { name: "Nulls", number: true, show: ({ nulls }) => nulls?.toLocaleString("en") ?? "–" },
    { name: "Least", show: ({ min }) => <Bound value={min} /> },
    { name: "Greatest", show: ({ max }) => <Bound value={max} /> },
  ];
  return (
    <section aria-label="Row groups">
      <h2>
        Row groups{" "}
        <span class="muted">
          {page.row_groups.length}, written by {page.created_by ?? "unknown"}
        </span>
      </h2>
      {page.row_groups.map(({ rows, bytes, columns: chunks }, index) => (
        <details key={`group ${index}`} class="card run">
          <summary>
            <strong>Row group {index + 1}</strong>
            <span class="muted">
              {count(rows, "row")}, {count(bytes, "byte")}
            </span>
          </summary>
          <Table
            label={`Columns of row group ${index + 1}`}
            columns={columns}
            rows={chunks}
            keyOf={(chunk) => chunk.name}
          />
        </details>
      ))}
    </section>
  );
}

function Bound({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <span class="none">–</span>;
  const text = textOrJson(value);
  return (
    <span class="mono cell" title={text}>
      {text}
    </span>
  );
}
