import { dateTime, integer, oneOf, optional, text } from "../../../contracts/spec/fields.ts";
import { type Instant, instantMs } from "../../kernel/instant.ts";
import type { Journal } from "../../kernel/journal.ts";
import { invalidRequest } from "../../kernel/refusal.ts";
import { type ControlContext, control } from "../../subjects/control-operation.ts";
import { withUndocumented } from "./entry.ts";
import { exportBarsOf } from "./export-bars.ts";
import { lanesOf } from "./lanes.ts";
import { type Matches, TURN_KINDS, type TurnFilter, turnPage } from "./pages.ts";
import { createTurnIndex, type TurnIndex } from "./turn-index.ts";

const DEFAULT_COLUMNS = 200;
const MAX_COLUMNS = 2_000;
/** Turns that an index reads before other requests are handled. */
const TURNS_AT_ONCE = 2_000;

/** Operations that show the turns of a world: by pages, and summarised for a drawing. */
export const TURN_OPERATIONS = [
  control({
    method: "GET",
    path: "/turns",
    summary:
      "Show a page of the turns that the journal retains, oldest first, with the number of all. `kind` is the type of the cause (request, event, effect, control, object_storage, start), `refused`, or `fault` (a fault triggered); `ref` is the id that the cause is about. By default the page has the newest ones; `offset` begins it at a position (0 is the oldest), `turn` shows a turn with those around it, and `at` ends it with the last turn at or before a time.",
    query: {
      kind: optional(oneOf(TURN_KINDS)),
      text: optional(text({ maxLength: 200, title: "only turns that contain this text" })),
      ref: optional(text({ maxLength: 300, title: "only turns about this id" })),
      status: optional(integer({ minimum: 400, maximum: 599, title: "only refusals with this status" })),
      limit: optional(integer({ minimum: 1, maximum: 1_000, default: 100 })),
      offset: optional(integer({ minimum: 0 })),
      turn: optional(integer({ minimum: 1 })),
      at: optional(dateTime()),
    },
    async run({ world, yieldToEventLoop }, { query: { limit = 100, offset, turn, at, ...filter } }) {
      const places = { offset, turn, at };
      const names = Object.entries(places).flatMap(([name, value]) => (value === undefined ? [] : [name]));
      if (names.length > 1)
        throw invalidRequest(
          `${names.join(" and ")} each select a page, so only one of them can be given.`,
          "Send one of offset, turn and at.",
        );
      const place = { limit, offset, turn, at: at === undefined ? undefined : instantMs(at) };
      const matches = matchesOf(world.journal, filter);
      const page = await turnPage(world.journal, filter, place, matches, yieldToEventLoop);
      return { ...page, items: page.items.map(withUndocumented) };
    },
  }),
  control({
    method: "GET",
    path: "/lanes",
    summary:
      "Summarise the turns of a range of time for a drawing with a lane (row) for each kind of event, as in the view Time of the console. The range (by default all) is divided into about `columns` cells of equal length, without its longest idle times. The events of a lane in the same cell become one mark with a count. With `since` and `step_ms` of the last reply for the same range, the reply may be a delta. Times are Unix milliseconds of virtual time.",
    query: {
      from: optional(dateTime()),
      to: optional(dateTime()),
      columns: optional(integer({ minimum: 1, maximum: MAX_COLUMNS, default: DEFAULT_COLUMNS })),
      since: optional(integer({ minimum: 1, title: "the turn of the last reply" })),
      step_ms: optional(integer({ minimum: 1, title: "the step_ms of the last reply" })),
    },
    async run(context, { query: { from, to, columns = DEFAULT_COLUMNS, since, step_ms: stepMs } }) {
      const range = { from: instantOrAll(from), to: instantOrAll(to) };
      if (range.from !== undefined && range.to !== undefined && range.from > range.to)
        throw invalidRequest(
          `from (${from}) is after to (${to}).`,
          "Give a range that begins before it ends.",
        );
      const index = await indexOf(context);
      const bars = exportBarsOf(context.world.reader, index.moves.failed);
      return lanesOf(index, { ...range, columns, since, stepMs }, bars);
    },
  }),
] as const;

function instantOrAll(at: string | undefined): Instant | undefined {
  return at === undefined ? undefined : instantMs(at);
}

const indexes = new WeakMap<Journal, TurnIndex>();

/** The index of the world's turns up to now. Only the first request reads all turns. */
async function indexOf({ world: { journal }, yieldToEventLoop }: ControlContext): Promise<TurnIndex> {
  const index = indexes.get(journal) ?? createTurnIndex();
  indexes.set(journal, index);
  while (!index.update(journal, TURNS_AT_ONCE)) await yieldToEventLoop();
  return index;
}

/** Filters of a journal whose matches are retained. */
const MAX_FILTERS = 8;
const matchesByFilter = new WeakMap<Journal, Map<string, Matches>>();

/** The matches of a filter of a journal, so that its next page reads only new turns. */
function matchesOf(journal: Journal, filter: TurnFilter): Matches {
  const filters = matchesByFilter.get(journal) ?? new Map<string, Matches>();
  matchesByFilter.set(journal, filters);
  const key = JSON.stringify(filter);
  const matches = filters.get(key) ?? { turns: [], upTo: 0 };
  filters.delete(key);
  filters.set(key, matches);
  for (const oldest of [...filters.keys()].slice(0, -MAX_FILTERS)) filters.delete(oldest);
  return matches;
}
