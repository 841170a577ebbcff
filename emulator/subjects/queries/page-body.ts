import { SCAN_BOUNDS } from "../../../contracts/spec/queries/resources.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Settings } from "../settings.ts";
import type { RowPage } from "./page.ts";
import { selectedViewV2, threadTraceView, traceView } from "./v2-view.ts";
import { selectedView } from "./view.ts";

type Select = readonly string[] | null;

export type PageFormat = keyof typeof BODIES;

export type PageBody<Format extends PageFormat> = ReturnType<(typeof BODIES)[Format]>;

const BODIES = {
  runs: ({ rows, next }: RowPage, select: Select, settings: Settings) => ({
    runs: rows.map((row) => selectedView(row, select, settings)),
    cursors: { next, prev: null },
    parsed_query: null,
  }),
  runs_v2: ({ rows, next }: RowPage, select: Select, settings: Settings) => ({
    items: rows.map((row) => selectedViewV2(row, select, settings)),
    next_cursor: next,
  }),
  traces: ({ rows, next }: RowPage, select: Select, settings: Settings) => ({
    items: rows.map((row) => traceView(row, select, settings)),
    next_cursor: next,
  }),
  thread_traces: ({ rows, next }: RowPage, select: Select, settings: Settings) => ({
    items: rows.map((row) => threadTraceView(row, select, settings)),
    next_cursor: next,
  }),
  trace_runs({ rows, next }: RowPage, select: Select, settings: Settings) {
    if (next !== null)
      throw new Refusal(
        413,
        "too_many_rows",
        `The trace has more than ${SCAN_BOUNDS.rows} rows or 32 MB of them, the most that one reply has.`,
        "Read it page by page: POST /api/v2/runs/query with its trace_id.",
      );
    return { items: rows.map((row) => selectedViewV2(row, select, settings)) };
  },
};

/** The replies that have a page of rows. */
export const PAGE_BODIES: {
  readonly [Format in PageFormat]: (page: RowPage, select: Select, settings: Settings) => PageBody<Format>;
} = BODIES;
