/** §8.5, row by row, transcribed from the specification a second time for the suites. */

export type Counted = "x-api-key" | "x-user-id + IP" | "IP";

/** A method and a path; `{uuid}` stands for a new one. */
export type CountedRequest = readonly [method: string, path: string];

/** A row of the table. */
export interface RateFact {
  readonly identity: Counted;
  /** Requests in so many seconds, in each region. */
  readonly us: Rate;
  readonly eu: Rate;
  readonly category: string;
  /** A request for each match of the row; all of them count together. */
  readonly requests: readonly [CountedRequest, ...CountedRequest[]];
}

export interface Rate {
  readonly count: number;
  readonly seconds: number;
}

/** `2000 / 10`, as the table has it. */
type RateText = `${number} / ${number}`;

const rate = (text: RateText): Rate => {
  const [count = 0, seconds = 0] = text.split(" / ").map(Number);
  return { count, seconds };
};

const row = (
  requests: RateFact["requests"],
  identity: Counted,
  us: RateText,
  category: string,
  eu = us,
): RateFact => ({ identity, us: rate(us), eu: rate(eu), category, requests });

const KEY = "x-api-key";
const USER = "x-user-id + IP";

const DELETIONS: RateFact["requests"] = [
  ["DELETE", "/sessions/{uuid}"],
  ["DELETE", "/some/trigger"],
];

/** In the order of the table, under the names that the test-only operations know the rows by. */
export const RATE_FACTS = {
  system: row(
    [
      ["OPTIONS", "/api/v1/bulk-exports"],
      ["GET", "/info"],
      ["POST", "/some/v1/metadata/submit"],
    ],
    "IP",
    "2000 / 10",
    "High throughput",
  ),
  auth_key: row([["GET", "/auth"]], KEY, "2000 / 10", "High throughput"),
  auth_user: row([["GET", "/auth"]], USER, "2000 / 10", "High throughput"),
  beacon: row([["POST", "/v1/beacon"]], "IP", "2000 / 10", "High throughput"),
  repos_key: row([["GET", "/repos"]], KEY, "100 / 60", "Repository"),
  repos_user: row([["GET", "/repos"]], USER, "100 / 60", "Repository"),
  runs_batch: row([["POST", "/runs/batch"]], KEY, "2000 / 10", "High throughput"),
  otel_traces: row([["POST", "/otel/v1/traces"]], KEY, "2000 / 10", "Run ingest"),
  charts_key: row([["POST", "/api/v1/charts/preview"]], KEY, "750 / 600", "Charts"),
  charts_user: row([["POST", "/api/v1/charts/preview"]], USER, "750 / 600", "Charts"),
  runs_multipart: row([["POST", "/runs/multipart"]], KEY, "6000 / 10", "Multipart ingest"),
  runs_query_key: row([["POST", "/runs/query"]], KEY, "15 / 10", "Run query (API)"),
  runs_query_user: row([["POST", "/runs/query"]], USER, "300 / 10", "Run query (User)"),
  generate_key: row([["POST", "/generate"]], KEY, "30 / 3600", "Generation"),
  generate_user: row([["POST", "/generate"]], USER, "30 / 3600", "Generation"),
  commits_key: row([["GET", "/commits"]], KEY, "10000 / 60", "Commits", "2000 / 60"),
  commits_user: row([["GET", "/commits"]], USER, "10000 / 60", "Commits", "2000 / 60"),
  deletion_key: row(DELETIONS, KEY, "10 / 60", "Deletion"),
  deletion_user: row(DELETIONS, USER, "30 / 60", "Deletion"),
  runs_post: row([["POST", "/runs"]], KEY, "2000 / 10", "Run ingest"),
  runs_patch: row([["PATCH", "/runs/{uuid}"]], KEY, "2000 / 10", "Run ingest"),
  feedback: row([["POST", "/feedback"]], KEY, "2000 / 10", "High throughput"),
  runs_lookup: row(
    [
      ["GET", "/runs/{uuid}"],
      ["GET", "/api/v1/runs/{uuid}"],
    ],
    KEY,
    "30 / 60",
    "Run lookup",
  ),
  examples: row([["GET", "/api/v1/examples"]], KEY, "5000 / 60", "Examples"),
  default_key: row([["GET", "/api/v1/bulk-exports"]], KEY, "1000 / 10", "Default (API key)"),
  default_user: row([["GET", "/api/v1/bulk-exports"]], USER, "1000 / 10", "Default (User)"),
  public_download: row([["GET", "/public/download"]], "IP", "5000 / 60", "Public download"),
  runs_stats: row([["POST", "/runs/stats"]], KEY, "1 / 10", "Stats", "20 / 10"),
  catch_all: row([["GET", "/nothing/here"]], "IP", "100 / 60", "Public (catch-all)"),
} as const satisfies Record<string, RateFact>;

export type RateFactId = keyof typeof RATE_FACTS;

export const RATE_FACT_IDS = Object.keys(RATE_FACTS) as readonly RateFactId[];
