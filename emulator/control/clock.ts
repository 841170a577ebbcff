import {
  dateTime,
  duration,
  eitherOf,
  integer,
  number,
  object,
  optional,
  type TypeOf,
  text,
} from "../../contracts/spec/fields.ts";
import { EXPORT_STATUS_NAMES, type ExportStatusName } from "../../contracts/spec/lifecycle.ts";
import { parseUntil, UNTIL_FORMS, type UntilTarget } from "../client/until.ts";
import type { Advance, AdvanceProgress, AdvanceTarget } from "../kernel/advance.ts";
import { durationMs } from "../kernel/duration.ts";
import { formatInstant, type Instant, instantMs } from "../kernel/instant.ts";
import { invalidRequest, Refusal } from "../kernel/refusal.ts";
import { SLOT_QUEUE } from "../subjects/bulk-exports/capacity.ts";
import { isFinal } from "../subjects/bulk-exports/lifecycle.ts";
import { progressText } from "../subjects/bulk-exports/progress.ts";
import { type BulkExport, EXPORTS } from "../subjects/bulk-exports/records.ts";
import { requireExport } from "../subjects/bulk-exports/require-export.ts";
import { control } from "../subjects/control-operation.ts";
import type { Reader, World } from "../subjects/turn.ts";
import { countEnds } from "./ended.ts";

const MAX_LISTED_EVENTS = 100;
/** How far `until` looks ahead by default. */
const LOOK_AHEAD = "P30D";
/** The statuses that a schedule can have (§3.1). */
const SCHEDULE_STATUSES: readonly ExportStatusName[] = ["CREATED", "RUNNING", "CANCELLED"];
const FOR_EVER = "P36500D";
/** Later years do not have four digits. */
const END_OF_CALENDAR = instantMs("9999-12-31T23:59:59.999Z");

const advanceBody = object({
  by: optional(duration()),
  to: optional(dateTime()),
  next: optional(integer({ minimum: 1, maximum: 1_000_000 })),
  until: optional(
    eitherOf(
      [
        text(),
        object(
          { export: text(), status: optional(text({ title: `one of ${EXPORT_STATUS_NAMES.join(", ")}` })) },
          { additionalProperties: false },
        ),
      ],
      { description: `As text ${UNTIL_FORMS}; as an object an export and optionally a status.` },
    ),
  ),
  within: optional(duration()),
});

/** Operations to read, freeze, release and advance the clock. */
export const CLOCK_OPERATIONS = [
  control({
    method: "GET",
    path: "/clock",
    summary: "Show the time, the clock mode, the next due events and the effects in flight.",
    run: ({ clock, world }) => ({
      now: formatInstant(world.now),
      mode: world.clock.mode,
      rate: world.clock.rate,
      follows_wall: world.clock.followsWall === true,
      behind_ms: clock.behindMs(),
      next: world
        .queue()
        .slice(0, MAX_LISTED_EVENTS)
        .map(({ at, kind, ref }) => ({ at: formatInstant(at), kind, ref })),
      next_total: world.queue().length,
      in_flight: world.inFlight().map(({ kind, ref }) => ({ kind, ref })),
      waiting_for_capacity: [...world.reader.list(SLOT_QUEUE)]
        .slice(0, MAX_LISTED_EVENTS)
        .map(({ id, pool }) => ({ ref: id, pool })),
    }),
  }),
  control({
    method: "POST",
    path: "/clock/freeze",
    summary: "Freeze the clock until it is advanced.",
    run({ clock, world }) {
      const behind_ms = clock.behindMs();
      clock.freeze();
      return { now: formatInstant(world.now), mode: "frozen", behind_ms };
    },
  }),
  control({
    method: "POST",
    path: "/clock/flow",
    summary: "Let the clock follow the wall clock at a rate.",
    body: object({ rate: optional(number({ exclusiveMinimum: 0, maximum: 1_000_000 })) }),
    run({ clock, world }, { body }) {
      const behind_ms = clock.behindMs();
      clock.flow(body.rate ?? 1);
      return { now: formatInstant(world.now), mode: "flowing", rate: body.rate ?? 1, behind_ms };
    },
  }),
  control({
    method: "POST",
    path: "/clock/advance",
    summary: "Step through every due event up to a time, a number of events or a condition.",
    query: { dry_run: optional(integer({ minimum: 0, maximum: 1, default: 0 })) },
    body: advanceBody,
    async run({ clock, dryRun, world }, { body, query }) {
      clock.sync();
      const { end, until } = endOf(world, body);
      const target = targetOf(world.now, end, until);
      if (query.dry_run === 1) {
        const { assumed, ...result } = await dryRun(target);
        return { ...advanceView(result), ...until?.outcome(result), dry_run: true, assumed };
      }
      const ends = countEnds(world);
      const result = await clock.advance(target, until?.progress).finally(ends.stop);
      return { ...advanceView(result), ended: ends.groups(), ...until?.outcome(result) };
    },
  }),
  control({
    method: "DELETE",
    path: "/clock/advance",
    recorded: false,
    summary: "Stop the advance in progress.",
    run: ({ clock, world }) => ({ stopped: clock.stopAdvance(), now: formatInstant(world.now) }),
  }),
  control({
    method: "GET",
    path: "/progress",
    hasHistory: false,
    summary:
      "Show the progress of an advance, of exports that are being verified, of samples that are being generated, and of worlds that are being compared.",
    run: ({ clock, oracle, generations, world, worlds }) => ({
      now: formatInstant(world.now),
      advance: advancingView(clock.currentAdvance()),
      verifications: oracle.verifying(),
      generations: [...generations],
      comparisons: worlds.comparing(),
    }),
  }),
] as const;

type AdvanceBody = TypeOf<typeof advanceBody>;

/** The body without an `until` that is a time, and the condition of one that is an export. */
function endOf(world: World, body: AdvanceBody): { readonly end: AdvanceBody; readonly until?: Condition } {
  if (body.until === undefined) return { end: body };
  const target: UntilTarget | undefined = parseUntil(body.until);
  if (target === undefined) {
    const text = typeof body.until === "string" ? body.until : body.until.status;
    throw invalidRequest(`until: ${JSON.stringify(text)} is not valid.`, `Give ${UNTIL_FORMS}.`, "3.1-1");
  }
  if ("until" in target) return { end: body, until: conditionOf(world, target.until) };
  const { until: _, ...rest } = body;
  if (rest.to !== undefined) throw invalidRequest("Give exactly one of by, to, next and until.");
  return { end: { ...rest, to: target.to } };
}

function targetOf(now: Instant, body: AdvanceBody, until: Condition | undefined): AdvanceTarget {
  const targetNames = ["by", "to", "next", "until"].filter((name) => name in body);
  if (targetNames.length !== 1) throw invalidRequest("Give exactly one of by, to, next and until.");
  if (body.within !== undefined && !until)
    throw invalidRequest(
      "within: is only valid until an export has a status. Remove it, or name an export in until.",
    );
  return {
    to: Math.min(body.to === undefined ? now + aheadOf(body) : instantMs(body.to), END_OF_CALENDAR),
    ...(body.next && { events: body.next, stayAtLastEvent: true }),
    ...(until && { until: until.holds }),
  };
}

function aheadOf({ by, within, until }: AdvanceBody): number {
  return durationMs(by ?? within ?? (until ? LOOK_AHEAD : FOR_EVER));
}

interface Condition {
  readonly holds: (reader: Reader) => boolean;
  /** Describes the progress of the awaited export for users. */
  readonly progress: () => string;
  readonly outcome: (result: Advance) => { readonly reached: boolean; readonly why: string };
}

/** True once the export has the status, or has another final status. */
function conditionOf(world: World, until: { readonly export: string; readonly status: string }): Condition {
  const id = until.export.toLowerCase();
  const wantedStatus = until.status;
  let latestExport = requireExport(world.reader, id);
  refuseForSchedule(latestExport, wantedStatus);
  let from: Reader = world.reader;
  return {
    holds(reader) {
      from = reader;
      latestExport = reader.get(EXPORTS, id) ?? latestExport;
      return latestExport.status === wantedStatus || isFinal(latestExport);
    },
    progress: () => progressText(from, latestExport),
    outcome({ stopped, inFlight }) {
      if (latestExport.status === wantedStatus)
        return { reached: true, why: `export ${id} is ${wantedStatus}` };
      const parts = [`${WHY_STOPPED[stopped]}: ${progressText(from, latestExport)}`];
      if (stopped === "stalled")
        parts.push(`in flight: ${inFlight.map(({ kind, ref }) => `${kind} ${ref}`).join(", ")}`);
      if (!isFinal(latestExport)) parts.push(nextStep(world));
      return { reached: false, why: parts.join("; ") };
    },
  };
}

/** A schedule is active until it is cancelled: only the exports that it creates complete (§3.3). */
function refuseForSchedule({ id, interval_hours }: BulkExport, wantedStatus: string): void {
  if (interval_hours === null || SCHEDULE_STATUSES.some((status) => status === wantedStatus)) return;
  throw new Refusal(
    422,
    "schedule_has_no_end",
    `Export ${id} is a schedule with interval_hours ${interval_hours}. A schedule never becomes ${wantedStatus} (§3.3).`,
    "Advance the clock past the end of a window, then wait for the export that the schedule created: GET /api/v1/bulk-exports lists it.",
  );
}

function nextStep(world: World): string {
  const [next] = world.queue();
  return next === undefined
    ? "no event is due; repeat the request to continue when its effects have ended"
    : `next is ${next.kind} at ${formatInstant(next.at)}; repeat the request to continue, or give a longer \`within\``;
}

const WHY_STOPPED = {
  target: "no event within the time limit changes that",
  events: "the given number of events has fired",
  until: "it has ended",
  stalled: "an effect is still in flight",
  runaway: "too many events have fired",
  interrupted: "the advance was stopped, the clock was frozen, or the emulator is stopping",
} as const satisfies Record<Advance["stopped"], string>;

/** Refuses an advance that stopped before its target. */
function refuseUnfinished({ stopped, firedTotal, to }: Advance): void {
  const timeText = `virtual time is ${formatInstant(to)}, the time of the last one`;
  if (stopped === "runaway")
    throw new Refusal(
      422,
      "too_many_events",
      `${firedTotal} events have fired and more are due; ${timeText}.`,
      "Advance in smaller steps, or raise limits.events_per_advance.",
    );
  if (stopped === "interrupted")
    throw new Refusal(
      409,
      "advance_interrupted",
      `${firedTotal} events have fired and ${WHY_STOPPED[stopped]}; ${timeText}.`,
      "Advance to the original target, given as to, to continue.",
    );
}

function advanceView(result: Advance) {
  refuseUnfinished(result);
  const isSettled = result.stopped !== "stalled";
  return {
    from: formatInstant(result.from),
    to: formatInstant(result.to),
    fired: result.fired,
    fired_total: result.firedTotal,
    settled: isSettled,
    ...(!isSettled && { in_flight: result.inFlight.map(({ kind, ref }) => ({ kind, ref })) }),
  };
}

/** The progress of an advance towards a time or a number of events. */
function advancingView(progress: AdvanceProgress | undefined) {
  if (!progress) return null;
  const { from, target, fired, waitsFor } = progress;
  return {
    from: formatInstant(from),
    to: target.events === undefined ? formatInstant(target.to) : null,
    events: target.events ?? null,
    fired_total: fired,
    waits_for: waitsFor?.() ?? null,
  };
}
