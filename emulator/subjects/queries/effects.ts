import { Refusal } from "../../kernel/refusal.ts";
import type { TraceStore } from "../traces/port.ts";
import type { Runners } from "../turn.ts";
import type { SummaryRequest } from "./events.ts";
import { candidatesOf, type QueryContext } from "./rows.ts";
import { readSelection } from "./selection.ts";
import { type Scan, sumUp } from "./summary.ts";

/** Rows processed between two yields to the event loop. */
const ROWS_AT_A_TIME = 500;

/** The rows of a world, now and as of a mark. */
type Rows = Pick<TraceStore, "mark"> & { asOf(mark: number): TraceStore };

/**
 * Computes summaries of rows in chunks, so that other requests are not blocked. They may write rows, and a list of the current rows
 * would then skip or repeat some.
 */
export function summaryEffects(rows: Rows): Runners<"runs.sum_up"> {
  return {
    async "runs.sum_up"({ data }) {
      const context = contextOf(rows.asOf(rows.mark()), data);
      try {
        return { summary: await sumUp(data, context, scanOf(context)) };
      } catch (error) {
        if (error instanceof Refusal) return { refusal: error };
        return { failure: "interrupted", message: (error as Error).message };
      }
    },
  };
}

function contextOf(traces: TraceStore, { workspace, sessionIds }: SummaryRequest): QueryContext {
  const ids = new Set(sessionIds);
  return { traces, workspace, isDeleted: (id) => !ids.has(id), projectIds: () => sessionIds };
}

function scanOf(context: QueryContext): Scan {
  return async (sentSelection, visit) => {
    let read = 0;
    const { rows, test } = candidatesOf(context, readSelection(sentSelection), "asc");
    for (const listedRow of rows) {
      const row = listedRow.read();
      if (test(row)) visit(row);
      read += 1;
      if (read % ROWS_AT_A_TIME === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
}
