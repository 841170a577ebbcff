import { parseDuration, parseMicros } from "../../emulator/client/values.ts";
import type { PlayedWorld } from "../conditions.ts";
import type { Environment, ScenarioRequest } from "../environment.ts";
import type { Exploration, Trial } from "../trials.ts";
import { type ExportFacts, type ExportOrder, exportDifferences, settledExports } from "./export-facts.ts";

/** Milliseconds from an edge at which it is tried. */
const OFFSETS = [-1, 0, 1] as const;
const DAY_MS = 86_400_000;
/** Begins and ends of days within a window that are tried. */
const DAYS_TRIED = 2;

/** Findings of the baseline: its exports, and the instants at which something was due. */
interface Baseline {
  readonly exports: readonly ExportFacts[];
  readonly due: readonly number[];
}

/** Every due instant and every edge of an exported window: one millisecond before, at, and after. */
export function edgeSweep(): Exploration<Baseline> {
  return {
    name: "--sweep edges",
    baseline: {
      async end(world) {
        const journal = await world.control.journal();
        const events = journal.filter(({ cause }) => cause.type === "event");
        const due = [...new Set(events.map(({ now }) => millis(now)))];
        return { due, exports: await settledExports(world) };
      },
    },
    trialsOf: ({ exports, due }) => [
      ...exports.flatMap((one) => windowTrials(one, exports)),
      ...due.flatMap((instant) => OFFSETS.map((offset) => stopTrial(instant + offset, offset, exports))),
    ],
  };
}

/** Trials of the window of a completed export; a schedule itself has none. */
function windowTrials({ order, problems }: ExportFacts, exports: readonly ExportFacts[]): readonly Trial[] {
  const { start_time, end_time } = order;
  if (problems === undefined || problems.length > 0 || end_time === null) return [];
  const [start, end] = [millis(start_time), millis(end_time)];
  const midnights: number[] = [];
  for (let day = (Math.floor(start / DAY_MS) + 1) * DAY_MS; day < end; day += DAY_MS) midnights.push(day);
  const edges = [...new Set([start, ...midnights.slice(0, DAYS_TRIED), end])];
  return edges.flatMap((edge) =>
    OFFSETS.map((offset): Trial => {
      const isInside = edge + offset >= start && edge + offset < end;
      const window = `window ${short(start_time)}/${short(end_time)}`;
      return {
        name: `${window}: a row ${offsetText(offset)} ${iso(edge)}`,
        section: "2.5",
        differs: `a row begins ${offsetText(offset)} ${iso(edge)}, ${isInside ? "inside" : "outside"} the window`,
        means: "a window holds its begin and not its end, and neighbours share no row (§2.5, §3.3)",
        conditions: {
          async end(world) {
            const found = exportDifferences(exports, await settledExports(world));
            return found.length > 0 ? found : rowDifferences(world, order, edge + offset, isInside ? 1 : 0);
          },
        },
      };
    }),
  );
}

/** Orders the same window before and after a row is added there, and compares the files. */
async function rowDifferences(
  world: PlayedWorld,
  order: ExportOrder,
  at: number,
  expected: number,
): Promise<readonly string[]> {
  const before = await exportedAgain(world, order);
  if (typeof before === "string") return [before];
  const id = "00000000-0000-4000-8000-0000000000ed";
  const row = {
    id,
    trace_id: id,
    dotted_order: `${iso(at).replace(/[-:.]/g, "").replace("Z", "000Z")}${id}`,
    name: "edge",
    run_type: "chain",
    session_id: order.session_id,
    start_time: iso(at),
    end_time: iso(at + 1),
    inputs: {},
  };
  const { answer } = await world.send("POST /runs/batch", { body: { post: [row] } });
  if (answer.status >= 400) return [`a row at ${iso(at)} is refused: ${answer.text}`];
  const after = await exportedAgain(world, order);
  if (typeof after === "string") return [after];
  const more = after.rows - before.rows;
  const counted = more === expected ? [] : [`rows more: expected ${expected}, found ${more}`];
  return [...counted, ...after.problems];
}

async function exportedAgain(
  { send, control }: PlayedWorld,
  { bulk_export_destination_id, session_id, start_time, end_time }: ExportOrder,
): Promise<{ readonly rows: number; readonly problems: readonly string[] } | string> {
  const body = { bulk_export_destination_id, session_id, start_time, end_time };
  const { answer, body: created } = await send("POST /api/v1/bulk-exports", { body });
  if (answer.status >= 400) return `the window cannot be exported again: ${answer.text}`;
  const { id } = created as { readonly id: string };
  await control.clock.advance("PT1H");
  const { rows, problems } = await control.exports.verify(id);
  return { rows, problems: problems.map(({ kind, key, detail }) => `${kind} ${key}: ${detail}`) };
}

/** The clock stops on its way; what happens at that instant must neither be early nor be lost. */
function stopTrial(instant: number, offset: number, exports: readonly ExportFacts[]): Trial {
  return {
    name: `clock stops ${offsetText(offset)} ${iso(instant - offset)}`,
    section: "3.3",
    differs: `the clock is moved to ${iso(instant)} first, and then on`,
    means: "what is due happens at its instant, however the clock gets there (§3.3)",
    conditions: {
      wrap: (environment) => stopping(environment, instant),
      end: async (world) => exportDifferences(exports, await settledExports(world)),
    },
  };
}

const ADVANCE = "/_emulator/v1/clock/advance";

interface Advanced {
  readonly fired: readonly unknown[];
  readonly fired_total: number;
}

/** Moves the clock in two steps where a move to a time passes the instant. */
function stopping(environment: Environment, instant: number): Environment {
  return {
    ...environment,
    async request(asked) {
      const target = asked.path === ADVANCE ? await targetOf(environment, asked) : undefined;
      if (target === undefined || instant <= target.from || instant >= target.to)
        return environment.request(asked);
      const first = await moved(environment, asked, instant);
      const second = await moved(environment, asked, target.to);
      if (first.status >= 400 || second.status >= 400) return second;
      const [one, other] = [first, second].map(({ text }) => JSON.parse(text) as Advanced);
      const whole = {
        ...other,
        fired: [...(one?.fired ?? []), ...(other?.fired ?? [])],
        fired_total: (one?.fired_total ?? 0) + (other?.fired_total ?? 0),
      };
      return { ...second, text: JSON.stringify(whole) };
    },
  };
}

function moved(environment: Environment, asked: ScenarioRequest, to: number) {
  return environment.request({ ...asked, body: JSON.stringify({ to: iso(to) }) });
}

async function targetOf(environment: Environment, asked: ScenarioRequest) {
  const body = JSON.parse(asked.body ?? "{}") as { readonly by?: string; readonly to?: string };
  if (body.by === undefined && body.to === undefined) return undefined;
  const clock = await environment.request({
    ...asked,
    method: "GET",
    path: "/_emulator/v1/clock",
    body: undefined,
  });
  const from = millis((JSON.parse(clock.text) as { readonly now: string }).now);
  const ms = body.by === undefined ? undefined : parseDuration(body.by);
  const to = ms === undefined ? millis(String(body.to)) : from + ms;
  return { from, to };
}

function millis(time: string): number {
  return Math.floor((parseMicros(time) ?? 0) / 1000);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function short(time: string): string {
  return time.replace(/(:00)?(\.0+)?(Z|\+00:00)$/, "Z");
}

function offsetText(offset: number): string {
  return offset === 0 ? "at" : `1 ms ${offset < 0 ? "before" : "after"}`;
}
