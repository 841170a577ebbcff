import type { PlayedWorld } from "../conditions.ts";

/** An export as a sweep compares it with the baseline. */
export interface ExportFacts {
  readonly id: string;
  readonly status: string;
  readonly rows: number;
  /** The oracle's findings in a completed export, including its files; undefined for any other. */
  readonly problems: readonly string[] | undefined;
  /** Its findings that do not depend on the status, such as those of §8.3. */
  readonly violations: readonly string[];
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

/** How far exports may differ from the baseline: not at all, in the number of rows, or in how they end. */
export const TOLERANCES = ["none", "rows", "end"] as const;

export type Tolerance = (typeof TOLERANCES)[number];

type ExportReply = ExportOrder & { readonly id: string; readonly status: string };

const EXPORTS = "/api/v1/bulk-exports";
const PROBLEMS_SHOWN = 3;
/** In this time retries and events that are due shortly after the last request complete. */
const SETTLING = "PT1H";

/** How often a clock is moved by a longer time than that: a scenario may delay each of many attempts by an hour. */
const MAX_MOVES = 40;

/** Lets running work complete if requests move the clock, and reads every export. */
export async function settledExports(
  world: PlayedWorld,
  settling = SETTLING,
): Promise<readonly ExportFacts[]> {
  const { control } = world;
  const { clock } = await control.status();
  let exportList: readonly ExportReply[] = [];
  for (let moves = settling === SETTLING ? MAX_MOVES : 1; moves <= MAX_MOVES; moves += 1) {
    if (clock.mode === "frozen") await control.clock.advance(settling);
    exportList = await listedExports(world);
    if (clock.mode !== "frozen" || !exportList.some(isUnfinished)) break;
  }
  const facts: ExportFacts[] = [];
  for (const { id, status, ...order } of exportList) {
    const { problems, rows } = await control.exports.verify(id);
    const text = (exportProblems: typeof problems) =>
      exportProblems.map(({ kind, key, detail }) => `${kind} ${key}: ${detail}`);
    const isDone = status.toUpperCase() === "COMPLETED";
    const violations = isDone ? [] : text(problems.filter(({ kind }) => STATUS_INDEPENDENT.has(kind)));
    facts.push({
      id,
      status,
      rows: isDone ? rows : 0,
      problems: isDone ? text(problems) : undefined,
      violations,
      order,
    });
  }
  return facts;
}

async function listedExports({ send }: PlayedWorld): Promise<readonly ExportReply[]> {
  const list = () => send(`GET ${EXPORTS}`, {});
  const { answer, body } = await list();
  // A limit that no request of the scenario has met, because a failed step ended it early.
  return (answer.status === 429 ? (await list()).body : body) as readonly ExportReply[];
}

/** A schedule has no end. */
function isUnfinished({ status, interval_hours }: ExportReply): boolean {
  return interval_hours === null && /^(created|running)$/i.test(status);
}

/** Kinds of problems that an export has to avoid whatever its status is. */
const STATUS_INDEPENDENT = new Set([
  "timing",
  "schedule_gap",
  "duplicate_row",
  "changed_value",
  "wrong_project",
]);

/** The problems of the exports of a baseline, with which a sweep would show nothing. */
export function baselineProblems(exports: readonly ExportFacts[]): readonly string[] {
  return exports.flatMap(({ id, problems = [], violations }) =>
    [...problems, ...violations].map((text) => `export ${id}: ${text}`),
  );
}

/** How exports differ from those of the baseline, beyond what is tolerated, such as one more row. */
export function exportDifferences(
  before: readonly ExportFacts[],
  after: readonly ExportFacts[],
  tolerance: Tolerance = "none",
): readonly string[] {
  const lostLines = before
    .filter(({ id }) => tolerance !== "end" && !after.some((other) => other.id === id))
    .map(({ id }) => `export ${id}: it is not there`);
  const differences = after.flatMap((one) =>
    differencesOf(
      before.find(({ id }) => id === one.id),
      one,
      tolerance,
    ).map((text) => `export ${one.id}: ${text}`),
  );
  return [...lostLines, ...differences];
}

function differencesOf(
  before: ExportFacts | undefined,
  after: ExportFacts,
  tolerance: Tolerance,
): readonly string[] {
  const status = before?.status ?? after.status;
  const isOther = after.status !== status && !(tolerance === "end" && isFinal(after.status));
  const extraRows = after.rows - (before?.rows ?? after.rows);
  const isTolerated = tolerance !== "none" && extraRows === 1;
  const hasOtherRows = before?.problems && after.problems && extraRows !== 0 && !isTolerated;
  return [
    ...(isOther ? [`status: expected ${status}, found ${after.status}`] : []),
    ...(hasOtherRows ? [`rows: expected ${before.rows}, found ${after.rows}`] : []),
    ...[...(after.problems ?? []), ...after.violations].slice(0, PROBLEMS_SHOWN),
  ];
}

function isFinal(status: string): boolean {
  return ["COMPLETED", "FAILED", "CANCELLED", "TIMEDOUT"].includes(status.toUpperCase());
}
