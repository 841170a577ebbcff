import { Refusal } from "../../kernel/refusal.ts";
import { runInSlices, type Steps } from "../../kernel/steps.ts";
import type { Settings } from "../settings.ts";
import { type TraceStore, unitsOf } from "../traces/port.ts";
import type { StoredRow } from "../traces/roll-up.ts";
import type { Runners } from "../turn.ts";
import type { SummaryRequest } from "./events.ts";
import { readPage } from "./page.ts";
import { PAGE_BODIES } from "./page-body.ts";
import { candidatesOf, type QueryContext } from "./rows.ts";
import { readSelection, type SentSelection } from "./selection.ts";
import { sumUp } from "./summary.ts";

/** The rows of a world, now and as of a mark. */
type Rows = Pick<TraceStore, "mark"> & { asOf(mark: number): TraceStore };

/**
 * Computes summaries and pages of rows in slices, so that other requests are not blocked. They may write rows, and a list of the
 * current rows would then skip or repeat some.
 */
export function summaryEffects(rows: Rows, settings: Settings): Runners<"runs.sum_up"> {
  let view: { readonly mark: number; readonly traces: TraceStore } | undefined;

  /** The same object for the same rows: what was found out about their traces is cached by it. */
  function currentRows(): TraceStore {
    const mark = rows.mark();
    if (view?.mark !== mark) view = { mark, traces: rows.asOf(mark) };
    return view.traces;
  }

  return {
    async "runs.sum_up"({ data }) {
      try {
        return { summary: await summaryOf(data, contextOf(currentRows(), data), settings) };
      } catch (error) {
        if (error instanceof Refusal) return { refusal: error };
        return { failure: "interrupted", message: (error as Error).message };
      }
    },
  };
}

async function summaryOf(
  { sent, form }: SummaryRequest,
  context: QueryContext,
  settings: Settings,
): Promise<unknown> {
  if (form.of !== "page")
    return sumUp(sent, form, context, (selection, visit) =>
      runInSlices(visitRows(context, selection, visit), yieldToEventLoop),
    );
  const page = await runInSlices(
    readPage(context, { ...form, selection: readSelection(sent) }),
    yieldToEventLoop,
  );
  return PAGE_BODIES[form.as](page, form.select, settings);
}

function contextOf(traces: TraceStore, { workspace, sessionIds }: SummaryRequest): QueryContext {
  const ids = new Set(sessionIds);
  return { traces, workspace, isDeleted: (id) => !ids.has(id), projectIds: () => sessionIds };
}

function* visitRows(
  context: QueryContext,
  sentSelection: SentSelection,
  visit: (row: StoredRow) => void,
): Steps<void> {
  const { rows, test } = candidatesOf(context, readSelection(sentSelection), "asc");
  for (const listedRow of rows) {
    yield unitsOf(listedRow);
    const row = listedRow.read();
    if (yield* test(row)) visit(row);
  }
}

function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
