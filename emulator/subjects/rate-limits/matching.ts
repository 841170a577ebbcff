import {
  RATE_LIMIT_IDS,
  RATE_LIMITS,
  type RateIdentity,
  type RateLimit,
  type RateLimitId,
  rowsCounting,
} from "../../../contracts/spec/rate-limits/rows.ts";
import type { RateLimitSettings } from "../settings.ts";

/** A row of §8.5 with its index in the table. */
export interface RateRow {
  readonly id: RateLimitId;
  readonly index: number;
  readonly identity: RateIdentity;
}

/** The rows of §8.5 in the order of the table. */
export const RATE_ROWS: readonly RateRow[] = RATE_LIMIT_IDS.map((id, index) => {
  const { identity }: RateLimit = RATE_LIMITS[id];
  return { id, index, identity };
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const ROWS_BY_ID: ReadonlyMap<RateLimitId, RateRow> = new Map(RATE_ROWS.map((row) => [row.id, row]));

const MAX_CACHED_PATHS = 2_000;
const MAX_CACHED_PATH_CHARACTERS = 200;
const UUID_LENGTH = 36;

type CachedRows = Map<string, Map<string, readonly RateRow[]>>;

/** Creates a finder of the rows of §8.5 that apply to a request. It caches the rows of recent paths; paths that differ in a final uuid share an entry. */
export function createRowFinder({
  trigger_methods,
  has_newer_rows,
}: Pick<RateLimitSettings, "trigger_methods" | "has_newer_rows">) {
  const whole: CachedRows = new Map();
  const beforeUuid: CachedRows = new Map();
  let count = 0;

  function cache(paths: CachedRows, method: string, path: string, rows: readonly RateRow[]): void {
    if (path.length > MAX_CACHED_PATH_CHARACTERS || method.length > MAX_CACHED_PATH_CHARACTERS) return;
    if (count === MAX_CACHED_PATHS) {
      whole.clear();
      beforeUuid.clear();
      count = 0;
    }
    const ofMethod = paths.get(method) ?? new Map<string, readonly RateRow[]>();
    paths.set(method, ofMethod.set(path, rows));
    count += 1;
  }

  return {
    /** Most specific row first; headers are not considered. */
    find(method: string, path: string): readonly RateRow[] {
      const isUuid = endsInUuid(path);
      const paths = isUuid ? beforeUuid : whole;
      const key = isUuid ? path.slice(0, -UUID_LENGTH) : path;
      const cached = paths.get(method)?.get(key);
      if (cached) return cached;
      const rows = rowsCounting(method, path, trigger_methods, has_newer_rows).map(
        (id) => ROWS_BY_ID.get(id) as RateRow,
      );
      cache(paths, method, key, rows);
      return rows;
    },
  };
}

function endsInUuid(path: string): boolean {
  return path.at(-UUID_LENGTH - 1) === "/" && UUID.test(path.slice(-UUID_LENGTH));
}
