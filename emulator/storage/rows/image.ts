import { lazily } from "../../kernel/lazily.ts";
import type { NamedRows, NamedSegment } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { IdIndex } from "./id-index.ts";
import { scopeKey } from "./paths.ts";
import { loadSegment } from "./row-files.ts";
import { nameSegment, readRecords, type Segment, sealedNames, sealedSegment } from "./segment.ts";
import { RECORD_BYTES, supersededOf } from "./sidecar.ts";

/** The segments of a tenant, and an index of the newest version of each row. */
export interface Rows {
  readonly index: IdIndex;
  readonly segments: readonly Segment[];
}

/** The rows of a tenant at one instant: the names of their files, and the rows. */
interface ScopeImage {
  names(): readonly NamedSegment[];
  /** Read once for all forks. Must not be changed. */
  rows(): Rows;
}

/** The rows of a world at one instant, for forks. */
export interface RowsImage {
  readonly next: number;
  /** By `scopeKey`. */
  readonly scopes: ReadonlyMap<string, ScopeImage>;
}

/** The rows in these files. The files of a tenant are read when they are first needed. */
export function imageOfNames(pool: Pool, { next, segments }: NamedRows): RowsImage {
  const byScope = new Map<string, NamedSegment[]>();
  for (const segment of segments) {
    const key = scopeKey(segment);
    byScope.set(key, [...(byScope.get(key) ?? []), segment]);
  }
  const scopes = [...byScope].map(([key, names]): [string, ScopeImage] => [
    key,
    { names: () => names, rows: lazily(() => readRows(pool, names, next)) },
  ]);
  return { next, scopes: new Map(scopes) };
}

/** Rows in memory. The caller must no longer change them. */
export function imageOfRows(rows: Rows): ScopeImage {
  return {
    names: () => rows.segments.filter(({ rowFiles }) => rowFiles.length > 0).map(nameSegment),
    rows: () => rows,
  };
}

/** The same rows for worlds that do not own their tails. */
export function sealedImage({ next, scopes }: RowsImage): RowsImage {
  const sealed = [...scopes].map(([key, scope]): [string, ScopeImage] => [
    key,
    {
      names: () => scope.names().map((segment) => sealedNames(segment, next)),
      rows: () => {
        const { index, segments } = scope.rows();
        return { index, segments: segments.map((segment) => sealedSegment(segment, next)) };
      },
    },
  ]);
  return { next, scopes: new Map(sealed) };
}

/** Every segment of an image. */
export function namesIn({ next, scopes }: RowsImage): NamedRows {
  return { next, segments: [...scopes.values()].flatMap((scope) => scope.names()) };
}

/** The same rows with numbers below a mark. */
export function namesAsOf({ segments }: NamedRows, mark: number): NamedRows {
  return { next: mark, segments: segments.map((segment) => sealedNames(segment, mark)) };
}

function readRows(pool: Pool, names: readonly NamedSegment[], mark: number): Rows {
  const segments = names.map((name, number) => loadSegment(pool, name, mark, number));
  const index = new IdIndex(segments.reduce((sum, { records }) => sum + records, 0));
  for (const segment of segments) indexRows(pool, segment, index);
  return { index, segments };
}

/** Adds the newest versions of a segment to the index. Each replaced version is named by a later record. */
function indexRows(pool: Pool, segment: Segment, index: IdIndex): void {
  const view = readRecords(pool, segment, 0, segment.records);
  const superseded = supersededOf(view, segment.records);
  for (let at = 0; at < segment.records; at += 1) {
    if (view.length(at) === 0 || superseded[at] === 1) continue;
    segment.live += 1;
    index.findBytes(view.bytes, at * RECORD_BYTES);
    index.put(segment.number, at);
  }
}
