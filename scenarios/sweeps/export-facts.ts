import type { PlayedWorld } from "../conditions.ts";

/** An export as a sweep compares it with the baseline. */
export interface ExportFacts {
  readonly id: string;
  readonly status: string;
  readonly rows: number;
  /** The oracle's findings in a completed export; undefined for any other. */
  readonly problems: readonly string[] | undefined;
  readonly order: ExportOrder;
}

/** The parameters of an export, and its source. */
export interface ExportOrder {
  readonly bulk_export_destination_id: string;
  readonly session_id: string;
  readonly start_time: string;
  readonly end_time: string | null;
  readonly interval_hours: number | null;
  readonly source_bulk_export_id: string | null;
}

type ExportReply = ExportOrder & { readonly id: string; readonly status: string };

const EXPORTS = "/api/v1/bulk-exports";
const PROBLEMS_SHOWN = 3;
/** In this time retries and events that are due shortly after the last request complete. */
const SETTLING = "PT1H";

/** Lets running work complete if requests move the clock, and reads every export. */
export async function settledExports({ control, send }: PlayedWorld): Promise<readonly ExportFacts[]> {
  const { clock } = await control.status();
  if (clock.mode === "frozen") await control.clock.advance(SETTLING);
  const listed = (await send(`GET ${EXPORTS}`, {})).body as readonly ExportReply[];
  const found: ExportFacts[] = [];
  for (const { id, status, ...order } of listed) {
    const isDone = status.toUpperCase() === "COMPLETED";
    const verified = isDone ? await control.exports.verify(id) : undefined;
    const problems = verified?.problems.map(({ kind, key, detail }) => `${kind} ${key}: ${detail}`);
    found.push({ id, status, rows: verified?.rows ?? 0, problems, order });
  }
  return found;
}

/** How exports differ from those of the baseline; `mayFail`: they may also have ended in another way. */
export function exportDifferences(
  before: readonly ExportFacts[],
  after: readonly ExportFacts[],
  mayFail = false,
): readonly string[] {
  return before.flatMap((one) => {
    const other = after.find(({ id }) => id === one.id);
    // The baseline already has these problems.
    if (one.problems !== undefined && one.problems.length > 0) return [];
    if (other === undefined) return mayFail ? [] : [`export ${one.id}: it is not there`];
    return differencesOf(one, other, mayFail).map((text) => `export ${one.id}: ${text}`);
  });
}

function differencesOf(before: ExportFacts, after: ExportFacts, mayFail: boolean): readonly string[] {
  const isOther = after.status !== before.status && !(mayFail && isFinal(after.status));
  const isMore = before.problems && after.problems && after.rows !== before.rows;
  return [
    ...(isOther ? [`status: expected ${before.status}, found ${after.status}`] : []),
    ...(isMore ? [`rows: expected ${before.rows}, found ${after.rows}`] : []),
    ...(after.problems ?? []).slice(0, PROBLEMS_SHOWN),
  ];
}

function isFinal(status: string): boolean {
  return ["COMPLETED", "FAILED", "CANCELLED", "TIMEDOUT"].includes(status.toUpperCase());
}
