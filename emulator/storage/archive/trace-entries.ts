import { PORTABLE } from "../checksum.ts";
import type { NamedRows, NamedSegment } from "../pool/names.ts";
import type { Pool, PoolNames } from "../pool/pool.ts";
import { DAY, isUuid, REGION } from "../rows/paths.ts";
import { loadSegment } from "../rows/row-files.ts";
import { DATA, extentsOf, INDEX, tailName } from "../rows/segment.ts";
import { RECORD_BYTES } from "../rows/sidecar.ts";
import { createResealer, partOf, type RowFilePart, resealed } from "../rows/tail.ts";
import { StoreError } from "../store-error.ts";
import { damaged } from "./manifest.ts";
import type { PackedEntry } from "./pack.ts";

/** The rows of a world: two files for each segment, with the contents of all its files. */
export function traceEntries(prefix: string, pool: Pool, { next, segments }: NamedRows): PackedEntry[] {
  return segments.flatMap((namedSegment) => {
    const segment = loadSegment(pool, namedSegment, next);
    if (segment.records === 0) return [];
    const { region, tenantId, sessionId, day } = namedSegment;
    const name = `${prefix}${region}/${tenantId}/${sessionId}/${day}`;
    // The order in which they are written: an index never refers to bytes that are not there yet.
    return [DATA, INDEX].map((ending) =>
      entryOf(
        pool,
        name + ending,
        extentsOf(segment).map((extent) => partOf(extent, ending)),
      ),
    );
  });
}

/** Concatenates parts of files. The files may still be appended to. */
function entryOf(pool: Pool, name: string, parts: readonly RowFilePart[]): PackedEntry {
  async function* content(): AsyncGenerator<Buffer> {
    for (const part of parts) yield* resealed(pool, part, PORTABLE);
  }
  return { name, size: parts.reduce((sum, { bytes }) => sum + bytes, 0), content };
}

/** The content of an entry for this file of rows. Throws a `Refusal` when a row is damaged. */
export async function* sealedContent(
  { path, sealOf }: PoolNames,
  file: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  const resealer = createResealer(path(file), PORTABLE, sealOf(file));
  try {
    for await (const chunk of content) yield resealer.add(chunk);
    resealer.end();
  } catch (error) {
    throw error instanceof StoreError ? damaged("one of its trace rows is damaged") : error;
  }
}

/**
 * Adds the file for an entry, in the folder of an owner, to the segments by the name of their data and index. Returns its name in the
 * pool. Throws a `Refusal` for an unexpected name.
 */
export function addTraceFile(
  segments: Map<string, NamedSegment>,
  owner: number,
  below: number,
  { name, size }: Pick<PackedEntry, "name" | "size">,
): string {
  const [region = "", tenantId = "", sessionId = "", last = "", ...more] = name.split("/");
  const suffix = [DATA, INDEX].find((each) => last.endsWith(each)) ?? "";
  const day = last.slice(0, last.length - suffix.length);
  const isValid = REGION.test(region) && isUuid(tenantId) && isUuid(sessionId) && DAY.test(day);
  if (!isValid || more.length > 0 || suffix === "")
    throw damaged(`it has an unexpected file of rows (${JSON.stringify(name.slice(0, 100))})`);
  const where = { region, tenantId, sessionId, day };
  const file = tailName(owner, where);
  const [{ records, bytes } = { records: 0, bytes: 0 }] = segments.get(file)?.rowFiles ?? [];
  const lengths =
    suffix === DATA ? { records, bytes: size } : { records: Math.floor(size / RECORD_BYTES), bytes };
  segments.set(file, { ...where, rowFiles: [{ file, below, ...lengths }] });
  return file + suffix;
}
