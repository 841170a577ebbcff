/** §8.5 API rate limits of the hosted service, row by row; every count is a setting under the row's name. */

import { createRouter, type Route, type Router, segmentsOf } from "../path.ts";

/** What requests are counted by. */
export type RateIdentity = "x-api-key" | "x-user-id + IP" | "IP";

/** Which requests a row of §8.5 is about; the path without `/api/v1`. */
export interface RateMatch {
  /** Absent means every method. */
  readonly methods?: readonly string[];
  /**
   * `exact`: this path alone; `under`: this path and all below it; `uuid`: one uuid below it; `ending`: any path
   * with these last segments (a leading star in the table); `containing`: any path with this text in it; `any`: every path.
   */
  readonly kind: "exact" | "under" | "uuid" | "ending" | "containing" | "any";
  readonly path: string;
}

/** A row of §8.5. */
export interface RateLimit {
  readonly requirement: string;
  /** Any of them; the requests of all of them count together. */
  readonly matches: readonly RateMatch[];
  readonly identity: RateIdentity;
  /** Requests per window, in each region. */
  readonly count: Readonly<Record<RateRegion, number>>;
  readonly seconds: number;
  readonly category: string;
  /** Newer than the specification: in force with platform.newer_features. */
  readonly isNewer?: true;
}

export type RateRegion = (typeof RATE_REGIONS)[number];

export const RATE_REGIONS = ["us", "eu"] as const;

type Tail = readonly [
  identity: RateIdentity,
  count: number | RateLimit["count"],
  seconds: number,
  category: string,
];

function row(
  matches: RateMatch | readonly RateMatch[],
  ...[identity, count, seconds, category]: Tail
): RateLimit {
  return {
    requirement: identity === "x-api-key" ? "8.5-1" : "8.5-3",
    matches: [matches].flat(),
    identity,
    count: typeof count === "number" ? { us: count, eu: count } : count,
    seconds,
    category,
  };
}

const exact = (path: string, ...methods: string[]) => match("exact", path, methods);
const under = (path: string, ...methods: string[]) => match("under", path, methods);
const containing = (path: string, ...methods: string[]) => match("containing", path, methods);
const ending = (path: string, ...methods: string[]) => match("ending", path, methods);
const any = (...methods: string[]) => match("any", "", methods);

function match(kind: RateMatch["kind"], path: string, methods: readonly string[]): RateMatch {
  return { ...(methods.length > 0 && { methods }), kind, path };
}

const newer = (limit: RateLimit) => ({ ...limit, isNewer: true }) as const;

const KEY = "x-api-key";
const USER = "x-user-id + IP";

const system = [any("OPTIONS"), exact("/info"), ending("/v1/metadata/submit")];
const charts = containing("/charts", "POST");
const query = exact("/runs/query", "POST");
const trigger = ending("/trigger", "DELETE");
const deletion = [under("/sessions", "DELETE"), trigger];
const commits = { us: 10_000, eu: 2_000 };
const stats = { us: 1, eu: 20 };

/** In the order of the table; where two rows fit equally well, the first one decides. */
export const RATE_LIMITS = {
  system: row(system, "IP", 2_000, 10, "High throughput"),
  auth_key: row(under("/auth"), KEY, 2_000, 10, "High throughput"),
  auth_user: row(under("/auth"), USER, 2_000, 10, "High throughput"),
  beacon: row(under("/v1/beacon"), "IP", 2_000, 10, "High throughput"),
  repos_key: row(under("/repos"), KEY, 100, 60, "Repository"),
  repos_user: row(under("/repos"), USER, 100, 60, "Repository"),
  runs_batch: row(exact("/runs/batch", "POST"), KEY, 2_000, 10, "High throughput"),
  otel_traces: row(exact("/otel/v1/traces", "POST"), KEY, 2_000, 10, "Run ingest"),
  charts_key: row(charts, KEY, 750, 600, "Charts"),
  charts_user: row(charts, USER, 750, 600, "Charts"),
  runs_multipart: row(exact("/runs/multipart", "POST"), KEY, 6_000, 10, "Multipart ingest"),
  runs_query_v2: newer(row(exact("/v2/runs/query", "POST"), KEY, 300, 10, "Run query (v2)")),
  runs_query_key: row(query, KEY, 15, 10, "Run query (API)"),
  runs_query_user: row(query, USER, 300, 10, "Run query (User)"),
  generate_key: row(under("/generate"), KEY, 30, 3_600, "Generation"),
  generate_user: row(under("/generate"), USER, 30, 3_600, "Generation"),
  commits_key: row(under("/commits"), KEY, commits, 60, "Commits"),
  commits_user: row(under("/commits"), USER, commits, 60, "Commits"),
  deletion_key: row(deletion, KEY, 10, 60, "Deletion"),
  deletion_user: row(deletion, USER, 30, 60, "Deletion"),
  runs_post: row(exact("/runs", "POST"), KEY, 2_000, 10, "Run ingest"),
  runs_patch: row(containing("/runs", "PATCH"), KEY, 2_000, 10, "Run ingest"),
  feedback: row(exact("/feedback", "POST"), KEY, 2_000, 10, "High throughput"),
  runs_lookup_v2: newer(row(match("uuid", "/v2/runs", ["GET"]), KEY, 300, 10, "Run lookup (v2)")),
  runs_lookup: row(match("uuid", "/runs", ["GET"]), KEY, 30, 60, "Run lookup"),
  examples: row(containing("/examples", "GET"), KEY, 5_000, 60, "Examples"),
  default_key: row(any(), KEY, 1_000, 10, "Default (API key)"),
  default_user: row(any(), USER, 1_000, 10, "Default (User)"),
  public_download: row(under("/public/download"), "IP", 5_000, 60, "Public download"),
  runs_stats: row(exact("/runs/stats"), KEY, stats, 10, "Stats"),
  catch_all: row(any(), "IP", 100, 60, "Public (catch-all)"),
} as const satisfies Record<string, RateLimit>;

export type RateLimitId = keyof typeof RATE_LIMITS;

export const RATE_LIMIT_IDS = Object.keys(RATE_LIMITS) as readonly RateLimitId[];

/** From the most specific kind of match down (rate_limit.deciding_row); a match of a method alone comes before all. */
const KINDS: readonly RateMatch["kind"][] = ["exact", "uuid", "under", "ending", "containing", "any"];

/** What may stand before a path of the table without making it another one. */
const VERSION_PREFIXES = ["", "/api/v1", "/api/v2", "/v2"];

/** Methods that the row of deletions counts on trigger paths, the default first. */
export const TRIGGER_METHODS = ["DELETE", "every method"] as const;

export type TriggerMethods = (typeof TRIGGER_METHODS)[number];

/** The matches of a row, with one value of the assumption about the row of deletions. */
export function matchesOf(id: RateLimitId, triggerMethods: TriggerMethods): readonly RateMatch[] {
  const { matches }: RateLimit = RATE_LIMITS[id];
  return matches.map((each) =>
    each === trigger && triggerMethods === "every method" ? ending(trigger.path) : each,
  );
}

/** Whether a row is newer than §8.5. */
export function isNewer(id: RateLimitId): boolean {
  const { isNewer }: RateLimit = RATE_LIMITS[id];
  return isNewer === true;
}

/** Health endpoints: a probe uses up nobody's limit (assumption rate_limit.health). */
const UNCOUNTED_PATHS: ReadonlySet<string> = new Set(["/ok", "/livez", "/readyz"]);

/** A row that a method and a path fall under, and how. */
interface RateRoute {
  readonly id: RateLimitId;
  readonly match: RateMatch;
}

const ROUTERS: Readonly<Record<TriggerMethods, Router<RateRoute>>> = {
  DELETE: createRouter(() => rateRoutes("DELETE")),
  "every method": createRouter(() => rateRoutes("every method")),
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The rows that count a request, the most specific first; empty path segments are ignored. */
export function rowsCounting(
  method: string,
  path: string,
  triggerMethods: TriggerMethods = "DELETE",
  hasNewer = false,
): readonly RateLimitId[] {
  if (UNCOUNTED_PATHS.has(path) && method !== "OPTIONS") return [];
  const segments = segmentsOf(path).filter((segment) => segment !== "");
  const isUuid = UUID.test(segments.at(-1) ?? "");
  const text = `/${segments.join("/")}`;
  const matches = ROUTERS[triggerMethods].all(method, segments).filter(({ id, match }) => {
    if (!hasNewer && isNewer(id)) return false;
    if (match.kind === "uuid") return isUuid;
    return match.kind !== "containing" || text.includes(match.path);
  });
  return [...new Set(matches.map(({ id }) => id))];
}

function rateRoutes(triggerMethods: TriggerMethods): readonly Route<RateRoute>[] {
  const rows = RATE_LIMIT_IDS.flatMap((id) =>
    matchesOf(id, triggerMethods).map((match) => ({ match, row: { id, match } })),
  );
  const rankOf = ({ kind, methods }: RateMatch) => (kind === "any" && methods ? -1 : KINDS.indexOf(kind));
  return rows
    .sort((a, b) => rankOf(a.match) - rankOf(b.match))
    .flatMap(({ match, row }) =>
      templatesOf(match).map((path) => ({ ...(match.methods && { methods: match.methods }), path, row })),
    );
}

function templatesOf({ kind, path }: RateMatch): readonly string[] {
  // A path that names its version itself may only have /api before it.
  const prefixes = /^\/v\d\//.test(path) ? ["", "/api"] : VERSION_PREFIXES;
  const withVersions = (template: string) => prefixes.map((prefix) => prefix + template);
  switch (kind) {
    case "any":
    case "containing":
      return ["/**"];
    case "exact":
      return withVersions(path);
    case "under":
      return withVersions(`${path}/**`);
    case "uuid":
      return withVersions(`${path}/{uuid}`);
    // The star before an ending may stand for /api too.
    case "ending":
      return [`/**${path}`];
  }
}

/** Rate-limit headers of replies, the default first. */
export const RATE_LIMIT_HEADERS = ["ratelimit", "retry-after", "x-ratelimit", "none"] as const;

export type RateLimitHeaders = (typeof RATE_LIMIT_HEADERS)[number];

/** Windows and instants of use that are held at most, over all rows and both regions. */
export const RATE_LIMIT_MEMORY = { requirement: "X-2", value: 200_000 } as const;
