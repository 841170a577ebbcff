import type { Limit, LimitTable } from "../../contracts/spec/limit.ts";
import { INTERVAL_HOURS, LIMITS, LIST_RUNS, TIMINGS } from "../../contracts/spec/limits.ts";
import { RATE_LIMITS, type RateLimit, type RateMatch } from "../../contracts/spec/rate-limits/rows.ts";
import { code, page, plain, table } from "./markdown.ts";

/** Bounds, durations and rates, with the settings that change them. */
export function limitsPage(): string {
  return page(
    "Limits",
    "Each limit is a setting: `limits.run_timeout` in the configuration file, `EMULATOR_LIMITS__RUN_TIMEOUT` in the environment. " +
      "A limit without § is not in the specification.",
    "## Bounds: `limits`",
    settings(LIMITS),
    `Fixed: \`interval_hours\` is ${INTERVAL_HOURS.minimum} to ${INTERVAL_HOURS.maximum} (§2.5); a list of runs has ${LIST_RUNS.limit} items unless \`limit\` is given (§8.1).`,
    "## Durations: `timings`",
    settings(TIMINGS),
    "## Rates: `rate_limits.rows`",
    "§8.5. Counted in each region, on virtual time. One row counts a request: the most specific one whose header the request has, so `catch_all` counts only requests without `x-api-key` and `x-user-id`. Paths are with or without `/api/v1`. [Rate limits](../understand/rate-limits.md) explains how to set, read and reset them.",
    table(
      ["Row", "Counts", "By", "Requests / seconds", "Category"],
      Object.entries(RATE_LIMITS).map(rateRow),
    ),
  );
}

function settings(limits: LimitTable): string {
  return table(["Setting", "Default", "Meaning", "§"], Object.entries(limits).map(limitRow));
}

function limitRow([name, { value, unit, conflict, text, section, own }]: readonly [string, Limit]) {
  const other = conflict === undefined ? "" : ` (elsewhere in the specification: ${conflict})`;
  const size = unit === "bytes" ? " bytes" : unit === "wall_clock_duration" ? ", wall clock" : "";
  return [code(name), `${value}${size}`, plain(text + other), own ? "" : section];
}

function rateRow([name, { matches, identity, count, seconds, category, isNewer }]: readonly [
  string,
  RateLimit,
]) {
  const { us, eu } = count;
  return [
    code(name),
    matches.map(matchText).join("; "),
    plain(identity),
    us === eu ? `${us} / ${seconds}` : `${us} / ${seconds}, eu ${eu} / ${seconds}`,
    isNewer ? `${category}, in the profile observed` : category,
  ];
}

const KINDS: Readonly<Record<RateMatch["kind"], (path: string) => string>> = {
  exact: code,
  under: (path) => `${code(path)} and below`,
  uuid: (path) => code(`${path}/{uuid}`),
  ending: (path) => `any path that ends in ${code(path)}`,
  containing: (path) => `any path with ${code(path)}`,
  any: () => "any path",
};

function matchText({ methods = [], kind, path }: RateMatch): string {
  return [...methods, KINDS[kind](path)].join(" ");
}
