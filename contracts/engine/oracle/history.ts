import { AGENT_RUN_STATUSES, type AgentRunStatus } from "../../spec/agent/lifecycle.ts";
import { agentRun } from "../../spec/agent/resources.ts";
import { EXPORT_STATUSES } from "../../spec/lifecycle.ts";
import { LIST_RUNS } from "../../spec/limits.ts";
import type { Operation } from "../../spec/operation.ts";
import { OPERATIONS } from "../../spec/operations.ts";
import type { RequirementId } from "../../spec/requirements.ts";
import { instantOf, SECOND } from "../instant.ts";
import { isMembers, type Members } from "../json.ts";
import { choice, fact, firstOf } from "./check-reply.ts";
import { isAccepted, type OracleFinding, type ParsedExchange } from "./oracle.ts";
import { uuidOf } from "./request-rules.ts";
import { selectedFields } from "./thread-run-list.ts";

/** Who sent a request, and when; times are milliseconds. */
export interface Occasion {
  /** The workspace and the key: another caller may see other records. */
  readonly caller: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** What the earlier exchanges with a server show. */
export interface History {
  /** Compares an exchange with the earlier ones, then remembers it. Exchanges are given in the order of their requests. */
  check(exchange: ParsedExchange, occasion: Occasion): readonly OracleFinding[];
  /** Something outside of the API changed the server. */
  forget(): void;
}

/** A record as the newest reply shows it, with the end of that exchange. */
interface KnownRecord {
  readonly record: Members;
  readonly knownFrom: number;
}

/** A record that an exchange has created. */
interface Creation {
  readonly caller: string;
  readonly knownFrom: number;
  readonly row: Operation;
  /** The thread of a run. */
  readonly threadId: string | undefined;
  readonly request: string;
}

interface Memory {
  readonly runs: Map<string, KnownRecord>;
  readonly exports: Map<string, KnownRecord>;
  readonly created: Map<string, Creation>;
  /** Ends of the accepted cancellations of exports. */
  readonly cancelled: Map<string, number>;
}

type Findings = readonly (OracleFinding | undefined)[];

/** Opens an empty history. */
export function openHistory(): History {
  const memory: Memory = { runs: new Map(), exports: new Map(), created: new Map(), cancelled: new Map() };
  const rules = [checkRuns, checkExports, checkLists, checkReads, checkCreation];
  return {
    check: (exchange, occasion) =>
      rules.flatMap((rule) => rule(memory, exchange, occasion)).filter((finding) => finding !== undefined),
    forget() {
      for (const records of Object.values(memory)) records.clear();
    },
  };
}

/** The records in an accepted reply that have an id. */
function recordsIn(exchange: ParsedExchange, member: string): readonly (readonly [string, Members])[] {
  if (!isAccepted(exchange)) return [];
  return [exchange.body].flat().flatMap((item) => {
    const id = isMembers(item) ? uuidOf(item[member]) : undefined;
    return id === undefined ? [] : [[id, item as Members] as const];
  });
}

const RUN_CONSTANTS = ["thread_id", "assistant_id", "created_at"];

/** §2.1: a run keeps its thread, its assistant and the time of its creation. */
function checkRuns({ runs }: Memory, exchange: ParsedExchange, { startedAt, endedAt }: Occasion): Findings {
  const { row } = exchange;
  if (row.reply.body !== agentRun && row !== OPERATIONS.listThreadRuns) return [];
  return recordsIn(exchange, "run_id").flatMap(([id, record]) => {
    const { record: earlier = {}, knownFrom = 0 } = runs.get(id) ?? {};
    runs.set(id, { record: { ...earlier, ...record }, knownFrom: endedAt });
    const name = RUN_CONSTANTS.find((each) => isChanged(earlier[each], record[each]));
    const isRevived =
      AGENT_RUN_STATUSES[earlier.status as AgentRunStatus]?.final &&
      knownFrom <= startedAt &&
      isChanged(earlier.status, record.status);
    return [
      name === undefined
        ? undefined
        : { ...fact("2.1-1", `${name} of a run does not change`, record[name]), expected: earlier[name] },
      isRevived ? choice("3.2-2", `a run changes from ${earlier.status} to ${record.status}`) : undefined,
    ];
  });
}

/** Whether both values are known and differ, other spellings of ids and times apart. */
function isChanged(earlier: unknown, later: unknown): boolean {
  if (typeof earlier !== "string" || typeof later !== "string" || earlier === later) return false;
  const difference = Math.abs(instantOf(earlier) - instantOf(later));
  if (!Number.isNaN(difference)) return difference >= SECOND;
  return (uuidOf(earlier) ?? earlier) !== (uuidOf(later) ?? later);
}

type ExportStatus = keyof typeof EXPORT_STATUSES;

const FINAL_STATUSES: Readonly<Partial<Record<ExportStatus, RequirementId>>> = {
  CANCELLED: "3.1-3",
  TIMEDOUT: "3.1-7",
  COMPLETED: "3.1-8",
  FAILED: "3.1-8",
};

/** §3.1: no export leaves a final status, and a cancelled one does not continue. */
function checkExports(memory: Memory, exchange: ParsedExchange, occasion: Occasion): Findings {
  const { row, pathParameters, requestBody } = exchange;
  const id = uuidOf(pathParameters.export_id);
  const isStop = isMembers(requestBody) && /^cancelled$/i.test(String(requestBody.status));
  if (row === OPERATIONS.stopBulkExport && isStop && id !== undefined && isAccepted(exchange))
    memory.cancelled.set(id, occasion.endedAt);
  if (row !== OPERATIONS.getBulkExport && row !== OPERATIONS.listBulkExports) return [];
  return recordsIn(exchange, "id").map(([each, record]) => statusFinding(memory, each, record, occasion));
}

function statusFinding(
  { exports, cancelled }: Memory,
  id: string,
  record: Members,
  { startedAt, endedAt }: Occasion,
): OracleFinding | undefined {
  const exportRecord = exports.get(id);
  const status = statusOf(record);
  if (status === undefined) return undefined;
  exports.set(id, { record, knownFrom: endedAt });
  const before =
    exportRecord && exportRecord.knownFrom <= startedAt ? statusOf(exportRecord.record) : undefined;
  const requirement = before && FINAL_STATUSES[before];
  if (requirement && before !== status)
    return fact(requirement, `an export that is ${before} does not change its status`, status);
  const cancelledAt = cancelled.get(id) ?? Number.POSITIVE_INFINITY;
  return cancelledAt <= startedAt && !EXPORT_STATUSES[status].final
    ? fact("3.1-2", "an export is CANCELLED once its cancellation was accepted", status)
    : undefined;
}

/** In the spelling of the specification; undefined for other values. */
function statusOf(record: Members): ExportStatus | undefined {
  const status = String(record.status).toUpperCase();
  return status in EXPORT_STATUSES ? (status as ExportStatus) : undefined;
}

const CREATIONS = new Map<Operation, readonly [member: string, requirement: RequirementId]>([
  [OPERATIONS.createThreadRun, ["run_id", "2.1-1"]],
  [OPERATIONS.createThread, ["thread_id", "2.2-1"]],
  [OPERATIONS.createBulkExport, ["id", "2.5-7"]],
]);

/** Each creation has an id of its own. An equal request for a run or an export may repeat the first one. */
function checkCreation(
  { created }: Memory,
  exchange: ParsedExchange,
  { caller, startedAt, endedAt }: Occasion,
): Findings {
  const { row, body, requestBody, pathParameters } = exchange;
  if (mayRemove(exchange)) created.clear();
  const [member, requirement] = CREATIONS.get(row) ?? [];
  if (!member || !requirement || !isAccepted(exchange) || !isMembers(body)) return [];
  const id = uuidOf(body[member]);
  if (id === undefined || (isMembers(requestBody) && member in requestBody)) return [];
  const request = JSON.stringify([pathParameters, requestBody ?? null]);
  const earlier = created.get(id);
  const threadId = uuidOf(pathParameters.thread_id);
  created.set(id, { caller, knownFrom: endedAt, row, threadId, request });
  const isRepetition = row !== OPERATIONS.createThread && earlier?.request === request;
  return earlier && !isRepetition && earlier.knownFrom <= startedAt
    ? [fact(requirement, "each creation returns another id", body[member])]
    : [];
}

/** Whether runs or exports may no longer be listed after this request. */
function mayRemove({ row, requestBody }: ParsedExchange): boolean {
  const isRollback = isMembers(requestBody) && requestBody.multitask_strategy === "rollback";
  return row.method === "DELETE" || row.path.endsWith("/cancel") || isRollback;
}

interface List {
  readonly creation: Operation;
  readonly member: string;
  readonly requirement: RequirementId;
}

/** The rows that list what a caller has created. */
const LISTS = new Map<Operation, List>([
  [
    OPERATIONS.listThreadRuns,
    { creation: OPERATIONS.createThreadRun, member: "run_id", requirement: "4.1-1" },
  ],
  [OPERATIONS.listBulkExports, { creation: OPERATIONS.createBulkExport, member: "id", requirement: "4.6-1" }],
]);

/** §4.1, §4.6: lists have what the same caller has created, if the request is for all of it. */
function checkLists({ created }: Memory, exchange: ParsedExchange, occasion: Occasion): Findings {
  const { row, body, query, pathParameters } = exchange;
  const list = LISTS.get(row);
  if (!list || !Array.isArray(body) || !isAccepted(exchange)) return [];
  const isRuns = row === OPERATIONS.listThreadRuns;
  if (isRuns ? !isOnlyPage(exchange, body) : Object.keys(query).length > 0) return [];
  const threadId = uuidOf(pathParameters.thread_id);
  const listedIds = new Set(recordsIn(exchange, list.member).map(([id]) => id));
  const missingCreation = [...created].find(([id, creation]) => {
    const isListed = creation.row === list.creation && creation.threadId === threadId;
    return isListed && isSeenBy(creation, occasion) && !listedIds.has(id);
  });
  return missingCreation
    ? [
        {
          ...fact(list.requirement, "the list has what was created before", [...listedIds]),
          expected: missingCreation[0],
        },
      ]
    : [];
}

function isSeenBy({ caller, knownFrom }: Creation, occasion: Occasion): boolean {
  return caller === occasion.caller && knownFrom <= occasion.startedAt;
}

/** Whether a list of runs has them all: it is not filtered, and shorter than a page. */
function isOnlyPage(exchange: ParsedExchange, body: readonly unknown[]): boolean {
  const { limit = String(LIST_RUNS.limit), offset = "0", status = "" } = exchange.query;
  const selected = selectedFields(exchange);
  const hasIds = selected !== undefined && (selected.length === 0 || selected.includes("run_id"));
  const size = Math.min(Number(limit), LIST_RUNS.limit);
  return hasIds && Number(offset) === 0 && status === "" && body.length < size;
}

/** §4.4, §4.5: an export that the same caller has created can be read. */
function checkReads(
  { created }: Memory,
  { row, status, pathParameters }: ParsedExchange,
  occasion: Occasion,
) {
  const creation = created.get(uuidOf(pathParameters.export_id) ?? "");
  const isRead = row === OPERATIONS.getBulkExport || row === OPERATIONS.listBulkExportRuns;
  return isRead && status === 404 && creation && isSeenBy(creation, occasion)
    ? [fact(firstOf(row), "an export that was created before can be read", status)]
    : [];
}
