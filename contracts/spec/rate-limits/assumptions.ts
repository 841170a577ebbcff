import { assumptionsAbout } from "../assumption.ts";
import { RATE_LIMIT_HEADERS, RATE_LIMIT_MEMORY, TRIGGER_METHODS } from "./rows.ts";

/** What §8.5 leaves open: which row decides, what a window is, and what a refusal looks like. */
export const RATE_LIMIT_ASSUMPTIONS = assumptionsAbout("8.5", "8.5-1", {
  "rate_limit.status": {
    choice: 429,
    alternatives: [503],
    reason: "The status of a refusal is not shown. HTTP has this status for it.",
  },
  "rate_limit.body": {
    choice: '{"detail": string}, on paths of the agent server a JSON string',
    reason: "The body of a refusal is not shown. It is the same as for the server's other errors.",
  },
  "rate_limit.headers": {
    choice: RATE_LIMIT_HEADERS[0],
    alternatives: RATE_LIMIT_HEADERS.slice(1),
    reason:
      "Not shown. Retry-After with a refusal, and RateLimit-Limit, -Remaining and -Reset, make a client's back-off testable.",
    observed: "none",
    setting: "rate_limits.headers",
  },
  "rate_limit.header_times": {
    choice: "seconds from now, rounded up",
    reason: "Virtual time may be any date, so a client can use only a relative time.",
  },
  "rate_limit.window": {
    choice: "fixed",
    alternatives: ["sliding"],
    reason: "A window starts with its first counted request and is not aligned to the clock.",
    setting: "rate_limits.window",
  },
  "rate_limit.deciding_row": {
    choice:
      "the first in this order: rows for OPTIONS, for a whole path, a path with a uuid, its beginning, its end, a text in it, any path of a key or user, any path of an address",
    reason: "The most specific row decides. Of two rows for the same paths, the one for the key decides.",
  },
  "rate_limit.counted_rows": {
    choice: "the deciding row only",
    reason: "The table has one default for requests that no other row names, so rows do not add up.",
  },
  "rate_limit.refused_requests": {
    choice: "do not count",
    reason: "A client that keeps retrying must not extend its own block.",
  },
  "rate_limit.other_refusals": {
    choice: "count",
    reason: "The limit is applied before routing and checks, so a request that fails later is counted.",
  },
  "rate_limit.shared_row": {
    choice: "one counter for all matches of a row",
    reason: "A row that names several paths is one limit for all of them.",
  },
  "rate_limit.paths_below": {
    requirement: "8.5-4",
    choice: "rows of an area include the paths below it; rows of one call do not",
    reason: "DELETE /sessions can only mean the sessions below it. POST /runs is described as a single call.",
  },
  "rate_limit.path_spelling": {
    requirement: "8.5-4",
    choice:
      "/api/v1, /api/v2 or /v2 at the start (of /v1/beacon only /api) and a slash at the end are ignored",
    reason: "One row spells both forms of a path. The other paths are called in both forms.",
  },
  "rate_limit.containing": {
    requirement: "8.5-4",
    choice: "the path contains the text anywhere, also as the start of a longer segment",
    reason:
      "Containing does not require whole segments: POST /a/charts-new contains /charts, /flowcharts does not.",
  },
  "rate_limit.v2_queries": {
    choice: "as without a version; with newer features 300 requests in 10 seconds, each by itself",
    reason: "Newer than the specification, whose rows do not name a version.",
  },
  "rate_limit.trigger_methods": {
    requirement: "8.5-6",
    choice: TRIGGER_METHODS[0],
    alternatives: TRIGGER_METHODS.slice(1),
    reason:
      "The method of DELETE /sessions or */trigger is written before both paths. It may belong only to the first.",
  },
  "rate_limit.health": {
    requirement: "8.5-4",
    choice: "/ok, /livez and /readyz are not counted",
    reason: "Probes of a container or a load balancer must not use up the limit of their address.",
  },
  "rate_limit.both_headers": {
    requirement: "8.5-4",
    choice: "x-api-key",
    reason: "A request with both headers is from a program that acts for a user.",
  },
  "rate_limit.user_address": {
    section: "5",
    requirement: "5-2",
    choice: "the peer, or X-Forwarded-For of trusted proxies",
    reason: "Otherwise any client could choose the address by which it is counted.",
    setting: "rate_limits.trusted_proxies",
  },
  "rate_limit.own_calls": {
    choice: "not counted",
    reason: "Seed data, control calls and webhooks to the emulator itself are not client traffic.",
  },
  "rate_limit.self_hosted": {
    choice: "not limited unless rate_limits.enabled is true",
    reason: "The heading of the table limits it to the hosted service.",
  },
  "rate_limit.counters": {
    choice: "in memory, lost after a restart or a reset",
    reason: "Windows are short, and writing every count would cost more than the request.",
  },
  "rate_limit.memory": {
    requirement: "X-2",
    choice: RATE_LIMIT_MEMORY.value,
    reason: "A limit. Above it, the row with the most windows drops its oldest ones.",
  },
  "rate_limit.cors": {
    choice: "every allowed origin (server.cors_origins), without credentials",
    reason: "OPTIONS is limited, so browsers are clients. Keys are sent in headers, not in cookies.",
  },
});
