import { Refusal } from "../../kernel/refusal.ts";
import { readParquetPage } from "../../oracle/parquet-file.ts";
import type { Bodies } from "../../storage/objects/bodies.ts";
import { readBody } from "../../storage/objects/opened-body.ts";
import type { PageOf, ParquetPage } from "../../subjects/control-operation.ts";
import type { StoredBody } from "../../subjects/object-storage/records.ts";

/** An object as a Parquet file. Throws a `Refusal` (409, 422). */
export async function readParquet(
  files: Pick<Bodies, "open">,
  object: StoredBody,
  page: PageOf,
  maxBytes: number,
): Promise<ParquetPage> {
  const { size } = object;
  if (size > maxBytes)
    throw new Refusal(
      422,
      "file_too_large",
      `The file has ${size} bytes; rows of files up to ${maxBytes} bytes can be listed.`,
      "limits.parquet_page_bytes sets the maximum.",
    );
  const bytes = await readBody(await files.open(object));
  try {
    return await readParquetPage(bytes, page);
  } catch (error) {
    throw new Refusal(422, "no_parquet", `The object is not a readable Parquet file: ${String(error)}`);
  }
}
