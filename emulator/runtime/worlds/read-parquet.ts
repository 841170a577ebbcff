import { Refusal } from "../../kernel/refusal.ts";
import { readParquetPage } from "../../oracle/parquet-page.ts";
import type { Bodies } from "../../storage/objects/bodies.ts";
import { readBody } from "../../storage/objects/opened-body.ts";
import type { PageOf, ParquetPage } from "../../subjects/object-storage/parquet-page.ts";
import type { StoredBody } from "../../subjects/object-storage/records.ts";

/** An object as a Parquet file. Throws a `Refusal` (409, 422). */
export async function readParquet(
  files: Pick<Bodies, "open">,
  object: StoredBody,
  page: PageOf,
  limits: Readonly<Record<"parquet_page_bytes" | "parquet_search_rows", number>>,
): Promise<ParquetPage> {
  const { size } = object;
  const maxBytes = limits.parquet_page_bytes;
  if (size > maxBytes)
    throw new Refusal(
      422,
      "file_too_large",
      `The file has ${size} bytes; rows of files up to ${maxBytes} bytes can be listed.`,
      "limits.parquet_page_bytes sets the maximum.",
    );
  const bytes = await readBody(await files.open(object));
  try {
    return await readParquetPage(bytes, page, limits.parquet_search_rows);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(422, "no_parquet", `The object is not a readable Parquet file: ${String(error)}`);
  }
}
