import { DuckDBInstance } from "@duckdb/node-api";

/** Asks DuckDB, which knows nothing of us; values come back as JSON has them. */
export async function duck<T = Record<string, unknown>>(sql: string): Promise<readonly T[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(sql);
    return reader.getRowObjectsJson() as unknown as readonly T[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
