import {
  RATE_LIMIT_IDS,
  RATE_LIMITS,
  type RateIdentity,
  type RateLimit,
  type RateLimitId,
  type RateMatch,
} from "../../../contracts/spec/rate-limits/rows.ts";

/** A row of §8.5 with its place in the table. */
export interface RateRow {
  readonly id: RateLimitId;
  readonly index: number;
  readonly identity: RateIdentity;
}

/** Tells which rows of §8.5 a request falls under. */
export interface RowFinder {
  /** From the most specific row down; the headers of the request are left out of account. */
  find(method: string, path: string): readonly RateRow[];
}

/** The rows of §8.5 in the order of the table. */
export const RATE_ROWS: readonly RateRow[] = RATE_LIMIT_IDS.map((id, index) => {
  const { identity }: RateLimit = RATE_LIMITS[id];
  return { id, index, identity };
});

interface Candidate {
  readonly row: RateRow;
  readonly match: RateMatch;
  readonly segments: readonly string[];
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const CANDIDATES: readonly Candidate[] = RATE_ROWS.flatMap((row) =>
  RATE_LIMITS[row.id].matches.map((match): Candidate => ({ row, match, segments: segmentsOf(match.path) })),
);

const FROM_THE_START = indexed(["exact", "uuid", "under"], ([first = ""]) => first);
const FROM_THE_END = indexed(["ending"], (segments) => segments.at(-1) ?? "");
const ANYWHERE = CANDIDATES.filter(({ match }) => match.kind === "containing");
const OF_A_METHOD = CANDIDATES.filter(({ match }) => match.kind === "any" && match.methods);
const ALWAYS = CANDIDATES.filter(({ match }) => match.kind === "any" && !match.methods);
const NONE: readonly Candidate[] = [];

const CACHED_PATHS_MAX = 2_000;
const CACHED_PATH_LENGTH_MAX = 200;
const UUID_LENGTH = 36;

type CachedRows = Map<string, Map<string, readonly RateRow[]>>;

/** Clients repeat themselves, so the latest paths and their rows are remembered; all uuids at the end are one. */
export function createRowFinder(): RowFinder {
  const whole: CachedRows = new Map();
  const beforeUuid: CachedRows = new Map();
  let count = 0;

  function cache(paths: CachedRows, method: string, path: string, rows: readonly RateRow[]): void {
    if (path.length > CACHED_PATH_LENGTH_MAX || method.length > CACHED_PATH_LENGTH_MAX) return;
    if (count === CACHED_PATHS_MAX) {
      whole.clear();
      beforeUuid.clear();
      count = 0;
    }
    const ofMethod = paths.get(method) ?? new Map<string, readonly RateRow[]>();
    paths.set(method, ofMethod.set(path, rows));
    count += 1;
  }

  return {
    find(method, path) {
      const isUuid = endsInUuid(path);
      const paths = isUuid ? beforeUuid : whole;
      const key = isUuid ? path.slice(0, -UUID_LENGTH) : path;
      const known = paths.get(method)?.get(key);
      if (known) return known;
      const rows = rowsFor(method, path);
      cache(paths, method, key, rows);
      return rows;
    },
  };
}

function endsInUuid(path: string): boolean {
  return path.at(-UUID_LENGTH - 1) === "/" && UUID.test(path.slice(-UUID_LENGTH));
}

/**
 * In the order of the assumption rate_limit.deciding_row; where two rows have the same match, the table
 * has the one for the key first.
 */
function rowsFor(method: string, path: string): readonly RateRow[] {
  const asked = segmentsOf(path);
  const start = versionLength(asked);
  const rows: RateRow[] = [];
  const add = (candidates: readonly Candidate[]) => {
    for (const { row, match, segments } of candidates) {
      if (match.methods && !match.methods.includes(method)) continue;
      if (matchesSegments(match.kind, segments, asked, start) && !rows.includes(row)) rows.push(row);
    }
  };
  add(OF_A_METHOD);
  add(FROM_THE_START.get(asked[start] ?? "") ?? NONE);
  add(FROM_THE_END.get(asked.at(-1) ?? "") ?? NONE);
  add(ANYWHERE);
  add(ALWAYS);
  return rows;
}

/** Segments that may stand before a path without making it another one: `/api/v1`, `/api/v2`, `/v2`. */
function versionLength([first, second]: readonly string[]): number {
  if (first === "v2") return 1;
  return first === "api" && (second === "v1" || second === "v2") ? 2 : 0;
}

function matchesSegments(
  kind: RateMatch["kind"],
  wanted: readonly string[],
  asked: readonly string[],
  start: number,
): boolean {
  const previous = asked.length - start - wanted.length;
  switch (kind) {
    case "any":
      return true;
    case "exact":
      return previous === 0 && segmentsMatchAt(wanted, asked, start);
    case "under":
      return segmentsMatchAt(wanted, asked, start);
    case "uuid":
      return previous === 1 && segmentsMatchAt(wanted, asked, start) && UUID.test(asked.at(-1) ?? "");
    case "ending":
      // The star before an ending may stand for /api too.
      return segmentsMatchAt(wanted, asked, asked.length - wanted.length);
    case "containing":
      return asked.some((_, place) => segmentsMatchAt(wanted, asked, place));
  }
}

function segmentsMatchAt(wanted: readonly string[], asked: readonly string[], place: number): boolean {
  for (let index = 0; index < wanted.length; index += 1)
    if (wanted[index] !== asked[place + index]) return false;
  return true;
}

function segmentsOf(path: string): readonly string[] {
  const segments: string[] = [];
  for (let from = 0; from < path.length; ) {
    const slash = path.indexOf("/", from);
    const end = slash === -1 ? path.length : slash;
    if (end > from) segments.push(path.slice(from, end));
    from = end + 1;
  }
  return segments;
}

function indexed(
  kinds: readonly RateMatch["kind"][],
  nameOf: (segments: readonly string[]) => string,
): ReadonlyMap<string, readonly Candidate[]> {
  const index = new Map<string, Candidate[]>();
  for (const kind of kinds)
    for (const candidate of CANDIDATES.filter(({ match }) => match.kind === kind)) {
      const name = nameOf(candidate.segments);
      index.set(name, [...(index.get(name) ?? []), candidate]);
    }
  return index;
}
