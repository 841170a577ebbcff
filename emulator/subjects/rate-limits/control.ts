import { integer, object, oneOf, optional, text } from "../../../contracts/spec/fields.ts";
import { RATE_LIMIT_IDS, RATE_REGIONS, type RateRegion } from "../../../contracts/spec/rate-limits/rows.ts";
import { nearest } from "../../kernel/nearest.ts";
import { invalidRequest, Refusal } from "../../kernel/refusal.ts";
import { control } from "../control-operation.ts";
import type { Turn } from "../turn.ts";
import type { RowChange } from "./limiter.ts";
import { RATE_ROWS, type RateRow } from "./matching.ts";
import { explainView, limiterView, rowView } from "./view.ts";

const MAX_REQUESTS = 1_000_000_000;
const MAX_SECONDS = 86_400;

const IP = /^[0-9A-Fa-f.:]{2,45}$/;

const question = {
  method: optional(text({ default: "GET" })),
  path: text({ minLength: 1 }),
  "x-api-key": optional(text()),
  "x-user-id": optional(text()),
  ip: optional(text({ pattern: IP.source })),
  region: optional(oneOf(RATE_REGIONS)),
};

const changeBody = object({
  remaining: optional(integer({ minimum: 0, maximum: MAX_REQUESTS })),
  count: optional(integer({ minimum: 1, maximum: MAX_REQUESTS })),
  seconds: optional(integer({ minimum: 1, maximum: MAX_SECONDS })),
  region: optional(oneOf(RATE_REGIONS)),
});

/** Control operations that list, explain, change and reset the counters of §8.5. */
export const RATE_LIMIT_OPERATIONS = [
  control({
    method: "GET",
    path: "/rate-limits",
    summary: "List every row of the rate-limit table with its limits and the identities that it counts now.",
    run: ({ world }) => limiterView(world.ports.limiter, world.now),
  }),
  control({
    method: "GET",
    path: "/rate-limits/explain",
    summary:
      "Explain which rows match a request, which one decides, what remains, and when the next request passes.",
    query: question,
    run({ world }, { query, region, raw }) {
      const path = query.path?.split("?")[0] ?? "";
      if (!path.startsWith("/")) throw invalidRequest("query.path: must start with a slash");
      const call = {
        region: query.region ?? region,
        method: (query.method ?? "GET").toUpperCase(),
        path,
        apiKey: query["x-api-key"] || undefined,
        userId: query["x-user-id"] || undefined,
        address: query.ip || raw.address,
      };
      return explainView(world.ports.limiter, call, world.now);
    },
  }),
  control({
    method: "PUT",
    path: "/rate-limits/{row}",
    summary:
      "Set how many requests a row still accepts in its window (`remaining: 0` refuses all), or change its count and window. A changed row counts even if rate limits are off.",
    body: changeBody,
    run({ world }, { path, body }) {
      const row = rowNamed(path.row ?? "");
      const { region, ...change } = body;
      if (Object.keys(change).length === 0)
        throw invalidRequest("body: it has no change; give remaining, count or seconds");
      return world.turn(cause("change", row.id), (turn) =>
        changeRow(turn, row, region ? [region] : RATE_REGIONS, change),
      );
    },
  }),
  control({
    method: "POST",
    path: "/rate-limits/reset",
    summary:
      "Set the counters to zero and undo all changes, of all rows or of `row`, in both regions or in `region`.",
    body: object({ row: optional(oneOf(RATE_LIMIT_IDS)), region: optional(oneOf(RATE_REGIONS)) }),
    run({ world }, { body: { row: name, region } }) {
      if (region !== undefined && name === undefined) throw invalidRequest("body: give row with region");
      return world.turn(cause("reset", name), ({ ports: { limiter } }) => {
        const row = RATE_ROWS.find(({ id }) => id === name);
        if (!row) limiter.clear();
        else for (const each of region ? [region] : RATE_REGIONS) limiter.clear(row, each);
        return { reset: true };
      });
    },
  }),
] as const;

function changeRow({ ports, now }: Turn, row: RateRow, regions: readonly RateRegion[], change: RowChange) {
  const { limiter } = ports;
  for (const region of regions) {
    const most = change.count ?? limiter.tally(row, region).count;
    if (change.remaining !== undefined && change.remaining > most)
      throw invalidRequest(
        `body.remaining: must be at most ${most}, since ${row.id} admits ${most} requests in ${region}`,
      );
  }
  for (const region of regions) limiter.change(row, region, change, now);
  return rowView(limiter, row, now);
}

function rowNamed(name: string): RateRow {
  const row = RATE_ROWS.find(({ id }) => id === name);
  if (row) return row;
  const near = nearest(name, RATE_LIMIT_IDS);
  const hint = near ? `Did you mean ${near}?` : "GET /_emulator/v1/rate-limits lists the rows.";
  throw new Refusal(404, "not_found", `${name} is not a row of the rate-limit table.`, hint, "8.5-1");
}

function cause(name: string, ref?: string) {
  return { type: "control", name: `rate_limits.${name}`, ...(ref !== undefined && { ref }) } as const;
}
