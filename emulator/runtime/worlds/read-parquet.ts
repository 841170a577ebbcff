import { Refusal } from "../../kernel/refusal.ts";
import type { Bodies } from "../../storage/objects/bodies.ts";
import { readBody } from "../../storage/objects/opened-body.ts";
import { readParquetPage } from "../../storage/parquet/file-page.ts";
import type { PageOf, ParquetPage } from "../../subjects/control-operation.ts";
import type { StoredBody } from "../../subjects/object-storage/records.ts";

/** Of files that would fill the memory nothing is read. */
const PARQUET_MAX_BYTES = 256 * 1024 * 1024;

/** An object as a Parquet file. Throws a `Refusal` (409, 422). */
export async function readParquet(
  files: Pick<Bodies, "open">,
  object: StoredBody,
  page: PageOf,
): Promise<ParquetPage> {
  const { size } = object;
  if (size > PARQUET_MAX_BYTES)
    throw new Refusal(
      422,
      "file_too_large",
      `A file of ${size} bytes is not read; ${PARQUET_MAX_BYTES} are.`,
    );
  const bytes = await readBody(await files.open(object));
  try {
    return await readParquetPage(bytes, page);
  } catch (error) {
    throw new Refusal(422, "no_parquet", `The object is no readable Parquet file: ${String(error)}`);
  }
}
