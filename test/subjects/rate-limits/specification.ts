/** §8.5, typed in from the specification and not derived from the rows that the emulator uses. */

export type Identity = "x-api-key" | "x-user-id + IP" | "IP";

export interface SpecifiedRow {
  readonly row: string;
  readonly identity: Identity;
  /** `count / seconds`, as the specification writes it. */
  readonly us: string;
  readonly eu: string;
  readonly category: string;
  /** Requests that the row's words describe; all of them share its limit. */
  readonly requests: readonly (readonly [method: string, path: string])[];
}

const UUID = "5a0f4a6e-4bf5-4d0c-9c3e-0c6f3c1f7a11";
const KEY = "x-api-key";
const USER = "x-user-id + IP";

const SYSTEM = [
  ["OPTIONS", "/runs/query"],
  ["GET", "/info"],
  ["GET", "/api/v1/info"],
  ["POST", "/v1/metadata/submit"],
  ["POST", "/api/v1/metadata/submit"],
  ["PUT", "/some/where/v1/metadata/submit"],
] as const;
const AUTH = [
  ["GET", "/auth"],
  ["POST", "/api/v1/auth"],
] as const;
const REPOS = [
  ["GET", "/repos"],
  ["POST", "/repos"],
  ["GET", "/api/v1/repos/someone/prompt"],
] as const;
const CHARTS = [
  ["POST", "/charts"],
  ["POST", "/api/v1/charts/preview"],
  ["POST", "/projects/a/charts/b"],
] as const;
const QUERY = [
  ["POST", "/runs/query"],
  ["POST", "/api/v1/runs/query"],
] as const;
const GENERATE = [
  ["POST", "/generate"],
  ["GET", "/api/v1/generate"],
] as const;
const COMMITS = [
  ["GET", "/commits"],
  ["POST", "/api/v1/commits/someone/prompt"],
] as const;
const DELETION = [
  ["DELETE", `/sessions/${UUID}`],
  ["DELETE", "/api/v1/sessions"],
  ["DELETE", "/runs/rules/a/trigger"],
  ["DELETE", "/api/v1/x/trigger"],
] as const;

export const SPECIFIED: readonly SpecifiedRow[] = [
  {
    row: "system",
    identity: "IP",
    us: "2000 / 10",
    eu: "2000 / 10",
    category: "High throughput",
    requests: SYSTEM,
  },
  {
    row: "auth_key",
    identity: KEY,
    us: "2000 / 10",
    eu: "2000 / 10",
    category: "High throughput",
    requests: AUTH,
  },
  {
    row: "auth_user",
    identity: USER,
    us: "2000 / 10",
    eu: "2000 / 10",
    category: "High throughput",
    requests: AUTH,
  },
  {
    row: "beacon",
    identity: "IP",
    us: "2000 / 10",
    eu: "2000 / 10",
    category: "High throughput",
    requests: [
      ["POST", "/v1/beacon"],
      ["GET", "/api/v1/beacon"],
    ],
  },
  {
    row: "repos_key",
    identity: KEY,
    us: "100 / 60",
    eu: "100 / 60",
    category: "Repository",
    requests: REPOS,
  },
  {
    row: "repos_user",
    identity: USER,
    us: "100 / 60",
    eu: "100 / 60",
    category: "Repository",
    requests: REPOS,
  },
  {
    row: "runs_batch",
    identity: KEY,
    us: "2000 / 10",
    eu: "2000 / 10",
    category: "High throughput",
    requests: [
      ["POST", "/runs/batch"],
      ["POST", "/api/v1/runs/batch"],
    ],
  },
  {
    row: "otel_traces",
    identity: KEY,
    us: "2000 / 10",
    eu: "2000 / 10",
    category: "Run ingest",
    requests: [
      ["POST", "/otel/v1/traces"],
      ["POST", "/api/v1/otel/v1/traces"],
    ],
  },
  {
    row: "charts_key",
    identity: KEY,
    us: "750 / 600",
    eu: "750 / 600",
    category: "Charts",
    requests: CHARTS,
  },
  {
    row: "charts_user",
    identity: USER,
    us: "750 / 600",
    eu: "750 / 600",
    category: "Charts",
    requests: CHARTS,
  },
  {
    row: "runs_multipart",
    identity: KEY,
    us: "6000 / 10",
    eu: "6000 / 10",
    category: "Multipart ingest",
    requests: [
      ["POST", "/runs/multipart"],
      ["POST", "/api/v1/runs/multipart"],
    ],
  },
  {
    row: "runs_query_key",
    identity: KEY,
    us: "15 / 10",
    eu: "15 / 10",
    category: "Run query (API)",
    requests: QUERY,
  },
  {
    row: "runs_query_user",
    identity: USER,
    us: "300 / 10",
    eu: "300 / 10",
    category: "Run query (User)",
    requests: QUERY,
  },
  {
    row: "generate_key",
    identity: KEY,
    us: "30 / 3600",
    eu: "30 / 3600",
    category: "Generation",
    requests: GENERATE,
  },
  {
    row: "generate_user",
    identity: USER,
    us: "30 / 3600",
    eu: "30 / 3600",
    category: "Generation",
    requests: GENERATE,
  },
  {
    row: "commits_key",
    identity: KEY,
    us: "10000 / 60",
    eu: "2000 / 60",
    category: "Commits",
    requests: COMMITS,
  },
  {
    row: "commits_user",
    identity: USER,
    us: "10000 / 60",
    eu: "2000 / 60",
    category: "Commits",
    requests: COMMITS,
  },
  {
    row: "deletion_key",
    identity: KEY,
    us: "10 / 60",
    eu: "10 / 60",
    category: "Deletion",
    requests: DELETION,
  },
  {
    row: "deletion_user",
    identity: USER,
    us: "30 / 60",
    eu: "30 / 60",
    category: "Deletion",
    requests: DELETION,
  },
  {
    row: "runs_post",
    identity: KEY,
    us: "2000 / 10",
    eu: "2000 / 10",
    category: "Run ingest",
    requests: [
      ["POST", "/runs"],
      ["POST", "/api/v1/runs"],
    ],
  },
  {
    row: "runs_patch",
    identity: KEY,
    us: "2000 / 10",
    eu: "2000 / 10",
    category: "Run ingest",
    requests: [
      ["PATCH", `/runs/${UUID}`],
      ["PATCH", `/api/v1/runs/${UUID}`],
      ["PATCH", "/a/runs/b"],
    ],
  },
  {
    row: "feedback",
    identity: KEY,
    us: "2000 / 10",
    eu: "2000 / 10",
    category: "High throughput",
    requests: [
      ["POST", "/feedback"],
      ["POST", "/api/v1/feedback"],
    ],
  },
  {
    row: "runs_lookup",
    identity: KEY,
    us: "30 / 60",
    eu: "30 / 60",
    category: "Run lookup",
    requests: [
      ["GET", `/runs/${UUID}`],
      ["GET", `/api/v1/runs/${UUID.toUpperCase()}`],
    ],
  },
  {
    row: "examples",
    identity: KEY,
    us: "5000 / 60",
    eu: "5000 / 60",
    category: "Examples",
    requests: [
      ["GET", "/examples"],
      ["GET", "/api/v1/datasets/a/examples/b"],
    ],
  },
  {
    row: "default_key",
    identity: KEY,
    us: "1000 / 10",
    eu: "1000 / 10",
    category: "Default (API key)",
    requests: [
      ["GET", "/api/v1/bulk-exports"],
      ["GET", "/nowhere"],
    ],
  },
  {
    row: "default_user",
    identity: USER,
    us: "1000 / 10",
    eu: "1000 / 10",
    category: "Default (User)",
    requests: [
      ["GET", "/api/v1/bulk-exports"],
      ["POST", "/runs/batch"],
      ["GET", `/runs/${UUID}`],
      ["PATCH", `/runs/${UUID}`],
    ],
  },
  {
    row: "public_download",
    identity: "IP",
    us: "5000 / 60",
    eu: "5000 / 60",
    category: "Public download",
    requests: [["GET", "/public/download"]],
  },
  {
    row: "runs_stats",
    identity: KEY,
    us: "1 / 10",
    eu: "20 / 10",
    category: "Stats",
    requests: [
      ["POST", "/runs/stats"],
      ["GET", "/api/v1/runs/stats"],
    ],
  },
  {
    row: "catch_all",
    identity: "IP",
    us: "100 / 60",
    eu: "100 / 60",
    category: "Public (catch-all)",
    requests: [
      ["GET", "/nowhere"],
      ["POST", "/runs"],
      ["GET", "/repos"],
    ],
  },
];

/** Two callers that the identity of a row tells apart. */
export function callers(identity: Identity): readonly [Caller, Caller] {
  switch (identity) {
    case "x-api-key":
      return [
        { apiKey: "key-one", address: "10.0.0.1" },
        { apiKey: "key-two", address: "10.0.0.1" },
      ];
    case "x-user-id + IP":
      return [
        { userId: "ann", address: "10.0.0.1" },
        { userId: "ann", address: "10.0.0.2" },
      ];
    case "IP":
      return [{ address: "10.0.0.1" }, { address: "10.0.0.2" }];
  }
}

interface Caller {
  readonly apiKey?: string;
  readonly userId?: string;
  readonly address: string;
}

export function rateOf(text: string): { readonly count: number; readonly seconds: number } {
  const [count = 0, seconds = 0] = text.split(" / ").map(Number);
  return { count, seconds };
}
