import {
  type Counted,
  type CountedRequest,
  RATE_FACT_IDS,
  RATE_FACTS,
  type RateFact,
  type RateFactId,
} from "../../../contracts/facts/rate-limits.ts";

/** A row of §8.5, with the requests that its words describe; all of them share its limit. */
export interface SpecifiedRow extends Omit<RateFact, "requests"> {
  readonly row: RateFactId;
  readonly requests: readonly CountedRequest[];
}

const UUID = "5a0f4a6e-4bf5-4d0c-9c3e-0c6f3c1f7a11";

const PREFIX = "/api/v1";

/** A request of the facts, and the same with or without the prefix. */
function spellings([method, text]: CountedRequest): readonly CountedRequest[] {
  const path = text.replace("{uuid}", UUID);
  const isLong = path.startsWith(PREFIX);
  return [
    [method, path],
    [method, isLong ? path.slice(PREFIX.length) : PREFIX + path.replace(/^\/v1(?=\/)/, "")],
  ];
}

export const SPECIFIED: readonly SpecifiedRow[] = RATE_FACT_IDS.map((row) => ({
  ...RATE_FACTS[row],
  row,
  requests: RATE_FACTS[row].requests.flatMap(spellings),
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
