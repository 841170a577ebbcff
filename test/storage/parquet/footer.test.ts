import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { COLUMN_NAMES, type ColumnName } from "../../../contracts/spec/bulk-exports/columns.ts";
import { readParquetFile } from "../../../emulator/oracle/parquet-file.ts";
import { createFooterWriter } from "../../../emulator/storage/parquet/footer.ts";
import { encodingSchemaOf, schemaOf, typeOf } from "../../../emulator/storage/parquet/schema.ts";
import { valuesOf } from "../../../emulator/storage/parquet/values.ts";
import type { StoredRow } from "../../../emulator/storage/rows/lines.ts";
import { createPartitionReader } from "../../../emulator/storage/rows/partition-reader.ts";
import type { FormatVersion } from "../../../emulator/subjects/bulk-exports/encoder.ts";
import { openTraceStore } from "../rows/open-store.ts";
import { bytesOf, HARD_ROWS, manyRows, storeRows } from "./sample-export.ts";

const CREATED_BY = "someone";

/** Rows as the encoder gets them. */
function rowsOf(rows: Parameters<typeof storeRows>[0]): readonly StoredRow[] {
  const { folder, order } = storeRows(rows);
  const reader = createPartitionReader(openTraceStore({ folder }).location);
  try {
    return reader.open(order, null).take(10_000, 64 * 1024 * 1024, true);
  } finally {
    reader.close();
  }
}

/** A file with these row groups, ended by the library or by our footer. */
function file(
  groups: readonly (readonly StoredRow[])[],
  columns: readonly ColumnName[],
  formatVersion: FormatVersion,
  isOurs: boolean,
): Buffer {
  const schema = schemaOf(columns, formatVersion);
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: encodingSchemaOf(schema),
    codec: "UNCOMPRESSED",
    createdBy: CREATED_BY,
  });
  for (const rows of groups) {
    const columnData = columns.map((name) => ({
      name,
      data: valuesOf(name, typeOf(name, formatVersion), rows, { tenantId: "a tenant" }),
    }));
    parquet.write({ columnData, rowGroupSize: Math.max(1, rows.length), pageSize: 4096 });
  }
  if (isOurs) createFooterWriter(schema, CREATED_BY)(writer, parquet);
  else {
    parquet.schema = schema;
    parquet.finish();
  }
  return Buffer.from(writer.getBytes());
}

describe.each(["v1", "v2_beta"] as const)(
  "the footer of a file in %s is what the library writes",
  (format) => {
    test.each([
      ["rows that are hard to write", () => [rowsOf(HARD_ROWS)]],
      ["several pages and row groups", () => Array.from({ length: 4 }, () => rowsOf(manyRows(300)))],
    ] as const)("with %s", (_, groups) => {
      const fileGroups = groups();
      const [ours, theirs] = [true, false].map((isOurs) => file(fileGroups, COLUMN_NAMES, format, isOurs));
      expect(ours?.equals(theirs as Buffer)).toBe(true);
    });

    test("with a few columns", () => {
      const groups = [rowsOf(manyRows(10))];
      const columns = ["total_cost", "id", "tags"] as const;
      const [ours, theirs] = [true, false].map((isOurs) => file(groups, columns, format, isOurs));
      expect(ours?.equals(theirs as Buffer)).toBe(true);
    });
  },
);

test("a file has its requested columns, independent of earlier files", async () => {
  for (const columns of [COLUMN_NAMES, ["id", "name"], ["name", "id"], COLUMN_NAMES] as const)
    for (const formatVersion of ["v1", "v2_beta"] as const) {
      const read = await readParquetFile(await bytesOf(manyRows(3), { columns, formatVersion }));
      expect(read.columns).toEqual(
        columns.map((name) => ({ name, type: expect.stringMatching(typeOf(name, formatVersion)) })),
      );
    }
});
