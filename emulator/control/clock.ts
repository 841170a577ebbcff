import { integer, number, object, optional, text } from "../../contracts/spec/fields.ts";
import { WAITING } from "../domain/bulk-exports/capacity.ts";
import { EXPORTS } from "../domain/bulk-exports/records.ts";
import { exportView } from "../domain/bulk-exports/view.ts";
import type { World } from "../domain/turn.ts";
import type { Advance } from "../kernel/advance.ts";
import { parseDuration } from "../kernel/duration.ts";
import { formatInstant, type Instant, parseInstant } from "../kernel/instant.ts";
import { Refusal } from "../kernel/refusal.ts";
import { type ControlOperation, control } from "./operation.ts";

const NEXT_SHOWN = 100;
/** How far `until` and `next` look ahead. */
const LOOK_AHEAD = "P30D";
const FOR_EVER = "P36500D";

const advanceBody = object({
  by: optional(text()),
  to: optional(text()),
  next: optional(integer({ minimum: 1, maximum: 1_000_000 })),
  until: optional(object({ export: text(), status: text() }, { additionalProperties: false })),
  within: optional(text()),
});

export const CLOCK_OPERATIONS: readonly ControlOperation[] = [
  control({
    method: "GET",
    path: "/clock",
    summary: "The time, how it moves, what is due next and what is in flight.",
    run: ({ world }) => ({
      now: formatInstant(world.now),
      mode: world.clock.mode,
      rate: world.clock.rate,
      next: world
        .queue()
        .slice(0, NEXT_SHOWN)
        .map(({ at, kind, ref }) => ({ at: formatInstant(at), kind, ref })),
      next_total: world.queue().length,
      in_flight: world.inFlight().map(({ kind, ref }) => ({ kind, ref })),
      waiting_for_capacity: [...world.reader.all(WAITING)]
        .slice(0, NEXT_SHOWN)
        .map(({ id, pool }) => ({ ref: id, pool })),
    }),
  }),
  control({
    method: "POST",
    path: "/clock/freeze",
    summary: "Time stands still until it is told to move.",
    run({ clock, world }) {
      clock.freeze();
      return { now: formatInstant(world.now), mode: "frozen" };
    },
  }),
  control({
    method: "POST",
    path: "/clock/flow",
    summary: "Time follows the wall clock at a rate.",
    body: object({ rate: optional(number({ exclusiveMinimum: 0, maximum: 1_000_000 })) }),
    run({ clock, world }, { body }) {
      clock.flow(body.rate ?? 1);
      return { now: formatInstant(world.now), mode: "flowing", rate: body.rate ?? 1 };
    },
  }),
  control({
    method: "POST",
    path: "/clock/advance",
    summary: "Step through every due event up to a time, a number of events or a condition.",
    body: advanceBody,
    async run({ clock, world }, { body }) {
      const given = ["by", "to", "next", "until"].filter((name) => name in body);
      if (given.length !== 1)
        throw new Refusal(422, "invalid_request", "Give exactly one of by, to, next and until.");
      clock.sync();
      const until = body.until && conditionOf(world, body.until);
      const to = targetOf(world.now, body);
      const result = await clock.advance({
        to,
        ...(body.next && { events: body.next }),
        ...(until && { until: until.holds }),
      });
      refuseRunaway(result);
      return { ...advanceView(result), ...until?.outcome(result) };
    },
  }),
];

function targetOf(
  now: Instant,
  body: { by?: string; to?: string; until?: unknown; within?: string },
): Instant {
  if (body.to !== undefined) {
    const to = parseInstant(body.to);
    if (to === undefined)
      throw new Refusal(422, "invalid_request", `to: ${body.to} is not an ISO 8601 time with a zone.`);
    return to;
  }
  const ahead = body.by ?? body.within ?? (body.until ? LOOK_AHEAD : FOR_EVER);
  const ms = parseDuration(ahead);
  if (ms === undefined)
    throw new Refusal(
      422,
      "invalid_request",
      `${ahead} is not an ISO 8601 duration.`,
      "For example PT6H10M or P1D.",
    );
  return now + ms;
}

interface Condition {
  readonly holds: () => boolean;
  readonly outcome: (result: Advance) => { readonly reached: boolean; readonly why: string };
}

function conditionOf(world: World, until: { readonly export: string; readonly status: string }): Condition {
  const id = until.export.toLowerCase();
  const wanted = until.status.toUpperCase();
  const status = () => {
    const found = world.reader.get(EXPORTS, id);
    return found && exportView(world.ports.settings, found).status.toUpperCase();
  };
  if (status() === undefined) throw new Refusal(404, "not_found", `No export ${id} in this world.`);
  return {
    holds: () => status() === wanted,
    outcome: ({ stopped }) => {
      const now = status();
      return {
        reached: now === wanted,
        why: now === wanted ? `export ${id} is ${now}` : `${stopped}: export ${id} is ${now}`,
      };
    },
  };
}

function refuseRunaway({ stopped, firedTotal }: Advance): void {
  if (stopped !== "runaway") return;
  throw new Refusal(
    422,
    "too_many_events",
    `${firedTotal} events have fired and more are due; time stands where the last one was.`,
    "Advance in smaller steps, or raise limits.events_per_advance.",
  );
}

function advanceView(result: Advance) {
  const settled = result.stopped !== "stalled";
  return {
    from: formatInstant(result.from),
    to: formatInstant(result.to),
    fired: result.fired,
    fired_total: result.firedTotal,
    settled,
    ...(!settled && { in_flight: result.inFlight.map(({ kind, ref }) => ({ kind, ref })) }),
  };
}
