import {
  type Counted,
  RATE_FACT_IDS,
  RATE_FACTS,
  type RateFact,
  type RateFactId,
} from "../../../contracts/facts/rate-limits.ts";

/** A row of §8.5, with the requests that its words describe; all of them share its limit. */
export interface SpecifiedRow extends Omit<RateFact, "requests"> {
  readonly row: RateFactId;
  readonly requests: readonly (readonly [method: string, path: string])[];
}

const UUID = "5a0f4a6e-4bf5-4d0c-9c3e-0c6f3c1f7a11";

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

/** More spellings than a case asks another server about: what follows from our choices as well. */
const REQUESTS: Readonly<Record<RateFactId, SpecifiedRow["requests"]>> = {
  system: SYSTEM,
  auth_key: AUTH,
  auth_user: AUTH,
  beacon: [
    ["POST", "/v1/beacon"],
    ["GET", "/api/v1/beacon"],
  ],
  repos_key: REPOS,
  repos_user: REPOS,
  runs_batch: [
    ["POST", "/runs/batch"],
    ["POST", "/api/v1/runs/batch"],
  ],
  otel_traces: [
    ["POST", "/otel/v1/traces"],
    ["POST", "/api/v1/otel/v1/traces"],
  ],
  charts_key: CHARTS,
  charts_user: CHARTS,
  runs_multipart: [
    ["POST", "/runs/multipart"],
    ["POST", "/api/v1/runs/multipart"],
  ],
  runs_query_key: QUERY,
  runs_query_user: QUERY,
  generate_key: GENERATE,
  generate_user: GENERATE,
  commits_key: COMMITS,
  commits_user: COMMITS,
  deletion_key: DELETION,
  deletion_user: DELETION,
  runs_post: [
    ["POST", "/runs"],
    ["POST", "/api/v1/runs"],
  ],
  runs_patch: [
    ["PATCH", `/runs/${UUID}`],
    ["PATCH", `/api/v1/runs/${UUID}`],
    ["PATCH", "/a/runs/b"],
  ],
  feedback: [
    ["POST", "/feedback"],
    ["POST", "/api/v1/feedback"],
  ],
  runs_lookup: [
    ["GET", `/runs/${UUID}`],
    ["GET", `/api/v1/runs/${UUID.toUpperCase()}`],
  ],
  examples: [
    ["GET", "/examples"],
    ["GET", "/api/v1/datasets/a/examples/b"],
  ],
  default_key: [
    ["GET", "/api/v1/bulk-exports"],
    ["GET", "/nowhere"],
  ],
  default_user: [
    ["GET", "/api/v1/bulk-exports"],
    ["POST", "/runs/batch"],
    ["GET", `/runs/${UUID}`],
    ["PATCH", `/runs/${UUID}`],
  ],
  public_download: [["GET", "/public/download"]],
  runs_stats: [
    ["POST", "/runs/stats"],
    ["GET", "/api/v1/runs/stats"],
  ],
  catch_all: [
    ["GET", "/nowhere"],
    ["POST", "/runs"],
    ["GET", "/repos"],
  ],
};

export const SPECIFIED: readonly SpecifiedRow[] = RATE_FACT_IDS.map((row) => ({
  ...RATE_FACTS[row],
  row,
  requests: REQUESTS[row],
}));

/** Two callers that the identity of a row distinguishes. */
export function callers(identity: Counted): readonly [Caller, Caller] {
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
