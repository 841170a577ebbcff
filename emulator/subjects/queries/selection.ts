import type { BodyOf } from "../../../contracts/spec/operations.ts";
import { timeProblem } from "../../kernel/instant.ts";
import { invalidRequest } from "../../kernel/refusal.ts";
import type { Filter } from "../filters/filter.ts";
import { parseFilter } from "../filters/parse.ts";
import { problemText } from "../filters/problem.ts";
import { parseTime } from "../traces/wire-time.ts";

/** The criteria of a query; undefined members do not restrict it. */
export interface Selection {
  readonly sessionIds?: readonly string[];
  readonly ids?: readonly string[];
  readonly traceId?: string;
  readonly parentId?: string;
  readonly exampleIds?: readonly string[];
  readonly runType?: string;
  /** In upper case, as the newest public client writes it (query.v2_words). */
  readonly runTypeV2?: string;
  readonly isRoot?: boolean;
  readonly hasError?: boolean;
  readonly filter?: Filter;
  readonly traceFilter?: Filter;
  readonly treeFilter?: Filter;
  readonly start?: string;
  readonly end?: string;
}

/** A query as sent; clients send null for arguments that their caller omitted. */
export interface SentSelection extends BodyOf<"queryRuns"> {
  readonly thread?: string | null;
  readonly run_type_v2?: string | null;
}

/** The names of criteria in a request, for messages. */
export interface SentNames {
  readonly place: "body" | "query";
  readonly start: string;
  readonly end: string;
}

const V1_NAMES: SentNames = { place: "body", start: "start_time", end: "end_time" };

/** Converts a query. Throws a `Refusal` (422) when a member is invalid. */
export function readSelection(
  sentSelection: SentSelection,
  refusesSome = false,
  { place, start, end }: SentNames = V1_NAMES,
): Selection {
  const filterAt = (name: "filter" | "trace_filter" | "tree_filter") =>
    readFilter(sentSelection[name], `${place}.${name}`, refusesSome);
  const filter = bothOf(
    threadFilter(sentSelection.thread),
    bothOf(searchFor(sentSelection.query), filterAt("filter")),
  );
  const selection = {
    sessionIds: idsOf(sentSelection.session),
    ids: idsOf(sentSelection.id),
    traceId: sentSelection.trace?.toLowerCase(),
    parentId: sentSelection.parent_run?.toLowerCase(),
    exampleIds: idsOf(sentSelection.reference_example),
    runType: sentSelection.run_type ?? undefined,
    runTypeV2: sentSelection.run_type_v2 ?? undefined,
    isRoot: sentSelection.is_root ?? undefined,
    hasError: sentSelection.error ?? undefined,
    filter,
    traceFilter: filterAt("trace_filter"),
    treeFilter: filterAt("tree_filter"),
    start: timeAt(sentSelection.start_time, `${place}.${start}`),
    end: timeAt(sentSelection.end_time, `${place}.${end}`),
  };
  const { sessionIds, ids, traceId, parentId } = selection;
  if (!sessionIds && !ids && !traceId && !parentId)
    throw invalidRequest(
      "The query must name a project, a row, a trace or a parent.",
      "Send session, id, trace or parent_run.",
    );
  return Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== undefined));
}

/** An empty list is equivalent to an absent one. */
function idsOf(ids: readonly string[] | null | undefined): readonly string[] | undefined {
  return ids && ids.length > 0 ? [...new Set(ids.map((id) => id.toLowerCase()))] : undefined;
}

function searchFor(text: string | null | undefined): Filter | undefined {
  return text == null || text === "" ? undefined : { op: "search", term: text };
}

function threadFilter(thread: string | null | undefined): Filter | undefined {
  return thread == null ? undefined : { op: "eq", field: "thread_id", value: thread };
}

function bothOf(one: Filter | undefined, other: Filter | undefined): Filter | undefined {
  return one && other ? { op: "and", filters: [one, other] } : (one ?? other);
}

function readFilter(text: string | null | undefined, name: string, refusesSome: boolean): Filter | undefined {
  if (text == null || text === "") return undefined;
  const read = parseFilter(text, refusesSome);
  if ("filter" in read) return read.filter;
  throw invalidRequest(`${name}: ${problemText(read.problem)}`, read.problem.hint);
}

function timeAt(text: string | null | undefined, name: string): string | undefined {
  if (text == null) return undefined;
  const time = parseTime(text);
  if (time === undefined)
    throw invalidRequest(`${name}: ${timeProblem(text, "an ISO 8601 time, such as 2026-01-31T12:00:00Z")}.`);
  return time;
}
