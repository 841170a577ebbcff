import { gunzipSync } from "node:zlib";
import type { ParquetColumn, ReadFile } from "../engine/target.ts";

/** Times as ISO 8601 text, with as many decimals as they need: the library would cut them to milliseconds. */
const PARSERS = {
  timestampFromMilliseconds: (value: bigint) => timeText(value * 1000n),
  timestampFromMicroseconds: timeText,
  timestampFromNanoseconds: (value: bigint) => timeText(value / 1000n),
};

function timeText(micros: bigint): string {
  const inSecond = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - inSecond) / 1000n)).toISOString().slice(0, 19);
  const decimals = String(inSecond)
    .padStart(6, "0")
    .replace(/(000)+$/, "");
  return `${seconds}${decimals && `.${decimals}`}Z`;
}

/** Reads a Parquet file with a library that is independent of the tested writer. */
export async function readParquet(bytes: Uint8Array): Promise<ReadFile> {
  const [{ parquetMetadata, parquetReadObjects }, { decompress }] = await Promise.all([
    import("hyparquet"),
    import("fzstd"),
  ]);
  const file = new Uint8Array(bytes).buffer;
  const compressors = {
    GZIP: (input: Uint8Array) => new Uint8Array(gunzipSync(input)),
    ZSTD: (input: Uint8Array, length: number) => decompress(input, new Uint8Array(length)),
  };
  const metadata = parquetMetadata(file);
  const rows = await parquetReadObjects({ file, compressors, parsers: PARSERS });
  const codec = metadata.row_groups[0]?.columns[0]?.meta_data?.codec ?? "UNCOMPRESSED";
  return { columns: columnsOf(metadata.schema as readonly Element[]), codec, rows };
}

interface Element {
  readonly name: string;
  readonly type?: string;
  readonly num_children?: number;
  readonly repetition_type?: string;
  readonly converted_type?: string;
  readonly logical_type?: { readonly type: string; readonly isAdjustedToUTC?: boolean };
}

/** The elements are in tree order: the root, then each column with its children. */
function columnsOf([root, ...elements]: readonly Element[]): readonly ParquetColumn[] {
  const columns: ParquetColumn[] = [];
  let next = 0;
  for (let count = root?.num_children ?? 0; count > 0; count--) {
    const column = elements[next];
    if (!column) break;
    const below = elements.slice(next + 1, endOf(elements, next));
    const leaf = below.at(-1) ?? column;
    const isRepeated = [column, ...below].some(({ repetition_type }) => repetition_type === "REPEATED");
    columns.push({ name: column.name, type: typeOf(leaf), repeated: isRepeated });
    next = endOf(elements, next);
  }
  return columns;
}

function endOf(elements: readonly Element[], start: number): number {
  let end = start + 1;
  for (let remainingChildren = elements[start]?.num_children ?? 0; remainingChildren > 0; remainingChildren--)
    end = endOf(elements, end);
  return end;
}

function typeOf({ type = "", logical_type, converted_type }: Element): string {
  if (logical_type?.type === "TIMESTAMP") return logical_type.isAdjustedToUTC ? "TIMESTAMP_UTC" : "TIMESTAMP";
  return logical_type?.type ?? converted_type ?? type;
}
