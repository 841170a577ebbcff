import { openFile, rowsOf } from "../../../oracle/file-rows.ts";
import type { ObjectStore } from "../../../s3/object-store.ts";
import { readBody } from "../../../storage/objects/opened-body.ts";
import { objects } from "../../../subjects/object-storage/records.ts";
import type { Changes, ItemChange } from "../../../subjects/world-difference.ts";
import type { YieldWhenDue } from "../slices.ts";
import { changesBetween, pairsOf } from "./changes.ts";

const MAX_FILES = 20;
const MAX_FILE_BYTES = 32 * 1024 * 1024;
const ENDING = ".parquet";

type Row = Readonly<Record<string, unknown>>;

/** The rows of Parquet files that are in both stores with other bytes; so many files, each up to so many bytes. */
export async function withParquetRows(
  changes: Changes,
  stores: readonly [ObjectStore, ObjectStore],
  yieldWhenDue: YieldWhenDue,
): Promise<Changes> {
  const items: ItemChange[] = [];
  let files = 0;
  for (const item of changes.items) {
    const isCompared = item.change === "changed" && item.key.endsWith(ENDING) && files < MAX_FILES;
    if (isCompared) files += 1;
    const rows = isCompared ? await fileChanges(item.key, stores, yieldWhenDue) : undefined;
    items.push(rows ? { ...item, rows } : item);
  }
  return { ...changes, items };
}

async function fileChanges(
  key: string,
  [a, b]: readonly [ObjectStore, ObjectStore],
  yieldWhenDue: YieldWhenDue,
): Promise<Changes | undefined> {
  const [left, right] = [await rowsById(a, key), await rowsById(b, key)];
  if (!left || !right) return undefined;
  return changesBetween(pairsOf(left, right), plain, yieldWhenDue);
}

/** Undefined for what is too large, or no Parquet file after all. */
async function rowsById(
  { world, files }: ObjectStore,
  key: string,
): Promise<ReadonlyMap<string, Row> | undefined> {
  const object = world.reader.get(objects, key);
  if (!object || object.size > MAX_FILE_BYTES) return undefined;
  try {
    const rows = new Map<string, Row>();
    const file = await openFile(await readBody(await files.open(object)));
    for await (const batch of rowsOf(file))
      for (const row of batch) rows.set(String(row.id ?? rows.size), row);
    return rows;
  } catch {
    return undefined;
  }
}

/** The row as JSON, which has no large integers. */
function plain(row: Row): unknown {
  return JSON.parse(
    JSON.stringify(row, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
  );
}
