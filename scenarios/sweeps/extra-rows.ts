import type { PlayedWorld } from "../conditions.ts";
import type { Environment } from "../environment.ts";
import { createRunner } from "../runner.ts";
import { stopping } from "./clock-stops.ts";
import { type Baseline, type Disturbance, earlierThan } from "./disturbance.ts";
import { rowKey, rowStart } from "./edge-sweep.ts";
import type { ExportOrder } from "./export-facts.ts";
import { edgesOf, iso, millis } from "./times.ts";

/** How a row is sent: in one request, or its end in a second request before or after it. */
const FORMS = ["posted", "posted and then patched", "patched and then posted"] as const;
const COUNTS = [1, 2, 5, 20] as const;
const SIZES = [0, 1_000, 100_000] as const;
/** Milliseconds from an edge of a window, and from a due event. */
const OFFSETS = [0, -1, 1] as const;
const BEFORE_ORDER = "before the first export";

/** Rows next to those of a scenario; its name has all of it. */
interface ExtraRows {
  readonly count: number;
  readonly bytes: number;
  /** Unix milliseconds at which the first row starts; the others follow, a millisecond apart. */
  readonly start: number;
  readonly form: (typeof FORMS)[number];
  /** The number of the export whose project they belong to. */
  readonly target: number;
  /** When they arrive, in Unix milliseconds; undefined: before the first export is ordered. */
  readonly instant: number | undefined;
}

/** Exports whose files are compared, which are those that extra rows can concern. */
export function ordersOf({ exports }: Baseline): readonly ExportOrder[] {
  return exports.filter(({ problems }) => problems !== undefined).map(({ order }) => order);
}

/** Random rows around the edges of the exported windows; undefined where nothing is exported. */
export function randomRows(baseline: Baseline, below: (count: number) => number): Disturbance | undefined {
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const orders = ordersOf(baseline);
  if (orders.length === 0) return undefined;
  const target = below(orders.length);
  const instants = [undefined, ...baseline.due];
  const instant = pick(instants);
  return extraRows(baseline, {
    target,
    count: pick(COUNTS),
    bytes: pick(SIZES),
    form: pick(FORMS),
    start: pick(edgesOf(orders[target] as ExportOrder)) + pick(OFFSETS),
    instant: instant === undefined ? undefined : instant + pick(OFFSETS),
  });
}

const NAME =
  /^(\d{1,4}) rows? of (\d{1,7}) bytes from (\S+) for export (\d{1,6}), ([a-z ]+), (at (\S+)|before .*)$/;

/** The rows that a name describes; undefined when it describes none. */
export function rowsNamed(baseline: Baseline, name: string): Disturbance | undefined {
  const [, count, bytes, start = "", target, formName, when, instant = ""] = NAME.exec(name) ?? [];
  const form = FORMS.find((each) => each === formName);
  if (form === undefined || ordersOf(baseline)[Number(target) - 1] === undefined) return undefined;
  return extraRows(baseline, {
    ...{ count: Number(count), bytes: Number(bytes), start: millis(start), form, target: Number(target) - 1 },
    instant: when === BEFORE_ORDER ? undefined : millis(instant),
  });
}

function extraRows(baseline: Baseline, rows: ExtraRows): Disturbance {
  const { count, bytes, start, form, target, instant } = rows;
  const noun = count === 1 ? "1 row" : `${count} rows`;
  const when = instant === undefined ? BEFORE_ORDER : `at ${iso(instant)}`;
  const order = ordersOf(baseline)[target] as ExportOrder;
  const add = (world: PlayedWorld) => sendRows(world, order, rows);
  return {
    name: `${noun} of ${bytes} bytes from ${iso(start)} for export ${target + 1}, ${form}, ${when}`,
    section: "3.3",
    tolerance: "rows",
    extraRows: count,
    scope: "row",
    differs: `the project gets ${noun} more, ${form} ${when}`,
    means:
      "a run exports the rows of its window that arrived before it started, each of them once (§2.5, §3.3)",
    conditions: {
      wrap: (environment) =>
        instant === undefined ? beforeOrder(environment, add) : stopping(environment, instant, add),
    },
    simpler: () => simplerRows(baseline, rows).map((each) => extraRows(baseline, each)),
  };
}

/** The same rows with one simpler property. */
function simplerRows({ due }: Baseline, rows: ExtraRows): readonly ExtraRows[] {
  const { count, bytes, form, instant } = rows;
  const earlier = <T>(items: readonly T[], item: T): readonly T[] =>
    earlierThan(items.indexOf(item)).map((at) => items[at] as T);
  const instants = [undefined, ...due];
  return [
    ...earlier(COUNTS, count as 1).map((each) => ({ ...rows, count: each })),
    ...earlier(SIZES, bytes as 0).map((each) => ({ ...rows, bytes: each })),
    ...earlier(FORMS, form).map((each) => ({ ...rows, form: each })),
    ...earlier(instants, instant).map((each) => ({ ...rows, instant: each })),
  ];
}

/** Acts once, before the first request that orders an export. */
function beforeOrder(environment: Environment, act: (world: PlayedWorld) => Promise<unknown>): Environment {
  let isDone = false;
  return {
    ...environment,
    async request(request) {
      if (!isDone && request.method === "POST" && request.path === "/api/v1/bulk-exports") {
        isDone = true;
        await act(createRunner(environment));
      }
      return environment.request(request);
    },
  };
}

async function sendRows(
  { send }: PlayedWorld,
  { session_id }: ExportOrder,
  { count, bytes, start, form }: ExtraRows,
): Promise<void> {
  const parts = Array.from({ length: count }, (_, at) => rowParts(session_id, start + at, at, bytes));
  const begun = { post: parts.map(({ row }) => row) };
  const ended = { patch: parts.map(({ end }) => end) };
  const whole = { post: parts.map(({ row, end }) => ({ ...row, ...end })) };
  const bodies = { [FORMS[0]]: [whole], [FORMS[1]]: [begun, ended], [FORMS[2]]: [ended, begun] }[form];
  for (const body of bodies ?? []) await send("POST /runs/batch", { body });
}

function rowParts(session_id: string, at: number, index: number, bytes: number) {
  const id = `00000000-0000-4000-8000-${(0xed_0000 + index).toString(16).padStart(12, "0")}`;
  const key = rowKey(id, at);
  const inputs = { text: "x".repeat(bytes) };
  const row = { ...key, ...rowStart(session_id, at), name: "extra", inputs };
  return { row, end: { ...key, end_time: iso(at + 1), outputs: { text: "y" } } };
}
