import { Refusal } from "../../kernel/refusal.ts";
import type { TraceStore } from "../traces/port.ts";
import type { StoredRow } from "../traces/roll-up.ts";
import type { Runners } from "../turn.ts";
import { TOTAL } from "./events.ts";
import { candidatesOf, type QueryContext } from "./rows.ts";
import { readSelection } from "./selection.ts";
import { createStatsAccumulator, type StatsAccumulator } from "./stats.ts";

/** Rows processed between two yields to the event loop. */
const ROWS_AT_A_TIME = 500;

/** Computes run statistics in chunks, so that other requests are not blocked. */
export function statsEffects(traces: TraceStore): Runners<"runs.sum_up"> {
  return {
    async "runs.sum_up"({ data: { workspace, sent, projects } }) {
      const selection = readSelection(sent);
      const queryContext: QueryContext = { traces, workspace, isDeleted: () => false, projectIds: () => [] };
      const tallies = createTallies(selection.isRoot === true, projects !== undefined);
      let read = 0;
      try {
        const { rows, test } = candidatesOf(queryContext, selection, "asc");
        for (const found of rows) {
          const row = found.read();
          if (test(row)) tallies.add(row);
          read += 1;
          if (read % ROWS_AT_A_TIME === 0) await new Promise((resolve) => setImmediate(resolve));
        }
      } catch (error) {
        if (error instanceof Refusal) return { refusal: error };
        return { failure: "interrupted", message: (error as Error).message };
      }
      return { stats: tallies.results() };
    },
  };
}

/** Statistics by project, or one total. */
function createTallies(isOfRoots: boolean, isByProject: boolean) {
  const tallies = new Map<string, StatsAccumulator>();
  return {
    add(row: StoredRow): void {
      const key = isByProject ? row.session_id : TOTAL;
      const tally = tallies.get(key) ?? createStatsAccumulator(isOfRoots);
      tallies.set(key, tally);
      tally.add(row);
    },
    results: () => Object.fromEntries([...tallies].map(([key, tally]) => [key, tally.result()])),
  };
}
