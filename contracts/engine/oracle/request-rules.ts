import { agentRun } from "../../spec/agent/resources.ts";
import { COLUMN_NAMES } from "../../spec/bulk-exports/columns.ts";
import { INTERVAL_HOURS } from "../../spec/limits.ts";
import type { Operation } from "../../spec/operation.ts";
import { OPERATIONS } from "../../spec/operations.ts";
import type { RequirementId } from "../../spec/requirements.ts";
import { isMembers, type Members } from "../json.ts";
import { choice, fact, firstOf } from "./check-reply.ts";
import { isAccepted, type OracleFinding, type ParsedExchange } from "./oracle.ts";
import { checkThreadRunList } from "./thread-run-list.ts";

type Findings = readonly (OracleFinding | undefined)[];

/** Compares an accepted request with its reply, beyond their schemas. What the specification leaves open never FAILs. */
export function checkRequestRules(exchange: ParsedExchange): readonly OracleFinding[] {
  if (!isAccepted(exchange)) return [];
  const findings: Findings = [
    ...identityFindings(exchange),
    ...listFindings(exchange),
    ...(RULES.get(exchange.row)?.(exchange) ?? []),
  ];
  return findings.filter((finding) => finding !== undefined);
}

type Rule = (exchange: ParsedExchange) => Findings;

const RULES: ReadonlyMap<Operation, Rule> = new Map<Operation, Rule>([
  [OPERATIONS.listThreadRuns, checkThreadRunList],
  [OPERATIONS.createThread, checkNewThread],
  [OPERATIONS.createBulkExport, checkNewExport],
  [OPERATIONS.createBulkExportDestination, checkNewDestination],
  [OPERATIONS.stopBulkExport, checkStoppedExport],
]);

/** FAIL where the specification shows the operation; UNSPECIFIED for other operations. */
function violation({ row }: ParsedExchange, requirement: RequirementId, text: string): OracleFinding {
  return row.shown ? fact(requirement, text) : choice(firstOf(row), text);
}

const UUID = /^[0-9a-f]{32}$/;

/** An id without the differences that spellings of a UUID may have; undefined for other values. */
export function uuidOf(value: unknown): string | undefined {
  const digits = String(value).toLowerCase().replaceAll("-", "");
  return UUID.test(digits) ? digits : undefined;
}

/** The member that identifies what the last segment of a path names. */
function identifierOf({ row }: ParsedExchange): readonly [parameter: string, member: string] | undefined {
  const [, name] = /\{(\w+)\}$/.exec(row.path) ?? [];
  if (name === undefined || row.method === "DELETE" || !name.endsWith("_id")) return undefined;
  return [name, row.server === "agent" ? name : "id"];
}

/** The ids in the request, each with the member of the reply that repeats it. */
function namedIds(exchange: ParsedExchange): readonly (readonly [member: string, requested: unknown])[] {
  const { row, pathParameters, requestBody } = exchange;
  const [parameter, member] = identifierOf(exchange) ?? [];
  const isRun = row.reply.body === agentRun;
  return [
    ...(parameter && member ? [[member, pathParameters[parameter]] as const] : []),
    ...(isRun || row === OPERATIONS.listThreadRuns ? [["thread_id", pathParameters.thread_id] as const] : []),
    ...(isRun && isMembers(requestBody) ? [["assistant_id", requestBody.assistant_id] as const] : []),
  ];
}

/** The reply is about the ids in the request. An assistant may also be requested by name. */
function identityFindings(exchange: ParsedExchange): Findings {
  const { row, body } = exchange;
  return namedIds(exchange).map(([member, requested]) => {
    const id = uuidOf(requested);
    const items = id === undefined ? [] : [body].flat().filter(isMembers);
    const other = items.find((item) => (uuidOf(item[member]) ?? id) !== id);
    const requirement = row.server === "agent" ? "2.1-1" : firstOf(row);
    const text = `${member} is the one of the request`;
    return other && { ...violation(exchange, requirement, text), expected: requested, actual: other[member] };
  });
}

const SHOWN_LISTS = new Map<Operation, readonly [id: string, requirement: RequirementId]>([
  [OPERATIONS.listThreadRuns, ["run_id", "4.1-1"]],
  [OPERATIONS.listBulkExports, ["id", "4.6-1"]],
]);

/** Lists have no item twice, and no more items than a request with `limit` allows. */
function listFindings(exchange: ParsedExchange): Findings {
  const { row, requestBody, body } = exchange;
  if (!Array.isArray(body)) return [];
  const [member, requirement] = SHOWN_LISTS.get(row) ?? [];
  const ids = new Set<string>();
  const repeated = body.filter(isMembers).find((item) => {
    const id = member && uuidOf(item[member]);
    const isRepeated = id !== undefined && ids.has(id);
    if (id) ids.add(id);
    return isRepeated;
  });
  const { limit } = isMembers(requestBody) ? requestBody : {};
  const isLong = typeof limit === "number" && limit >= 1 && body.length > limit;
  return [
    requirement && member && repeated
      ? fact(requirement, "each item is listed once", repeated[member])
      : undefined,
    isLong
      ? {
          ...violation(exchange, firstOf(row), `at most ${limit} items are listed`),
          expected: limit,
          actual: body.length,
        }
      : undefined,
  ];
}

/** §3.2: a request without members does not name an existing thread. */
function checkNewThread({ requestBody, body }: ParsedExchange): Findings {
  if (!isMembers(requestBody) || Object.keys(requestBody).length > 0 || !isMembers(body)) return [];
  const { status = "idle" } = body;
  return [
    status === "idle"
      ? undefined
      : { ...fact("3.2-1", "a created thread is idle", status), expected: "idle" },
  ];
}

/** A member that is neither absent nor null. */
function has(members: Members, name: string): boolean {
  return members[name] !== undefined && members[name] !== null;
}

function refusal(requirement: RequirementId, isWrong: boolean, text: string): OracleFinding | undefined {
  return isWrong ? fact(requirement, `the server must refuse an export ${text}`) : undefined;
}

/** §2.5: requests that must not be accepted. */
function checkNewExport({ requestBody: order }: ParsedExchange): Findings {
  if (!isMembers(order)) return [];
  const { interval_hours: hours, export_fields: fields, start_time: start } = order;
  const missingField = ["bulk_export_destination_id", "session_id", "start_time"].find(
    (name) => !has(order, name),
  );
  const isInterval =
    Number.isInteger(hours) &&
    Number(hours) >= INTERVAL_HOURS.minimum &&
    Number(hours) <= INTERVAL_HOURS.maximum;
  const names: readonly unknown[] = Array.isArray(fields) ? fields : [fields];
  const unknownName = names.find((name) => !COLUMN_NAMES.some((column) => column === name));
  return [
    refusal("2.5-1", missingField !== undefined, `without ${missingField}`),
    refusal("2.5-1", has(order, "session_id") && !uuidOf(order.session_id), "whose session_id is not a UUID"),
    refusal("2.5-1", has(order, "start_time") && !isTime(start), "whose start_time is not a time"),
    refusal(
      "2.5-2",
      has(order, "end_time") && has(order, "interval_hours"),
      "with end_time and interval_hours",
    ),
    refusal(
      "2.5-2",
      !has(order, "end_time") && !has(order, "interval_hours"),
      "without end_time and interval_hours",
    ),
    refusal(
      "2.5-3",
      has(order, "interval_hours") && !isInterval,
      `with interval_hours ${JSON.stringify(hours)}`,
    ),
    refusal(
      "2.5-1",
      has(order, "filter") && typeof order.filter !== "string",
      "whose filter is not a string",
    ),
    refusal(
      "2.5-5",
      has(order, "export_fields") && unknownName !== undefined,
      `of ${JSON.stringify(unknownName)}`,
    ),
  ];
}

/** Whether a value may be an ISO 8601 time; its details are left to the schema. */
function isTime(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-?\d/.test(value);
}

/** §2.4: required members. */
function checkNewDestination({ requestBody: order }: ParsedExchange): Findings {
  if (!isMembers(order)) return [];
  const config = isMembers(order.config) ? order.config : {};
  const missingFields = [
    ...["destination_type", "display_name"].filter((name) => !has(order, name)),
    ...["bucket_name", "prefix"].filter((name) => !has(config, name)).map((name) => `config.${name}`),
  ];
  return missingFields.map((name) => fact("2.4-1", `the server must refuse a destination without ${name}`));
}

/** §4.7: the body of the reply is not shown, so another status is only reported. */
function checkStoppedExport({ requestBody, body }: ParsedExchange): Findings {
  if (!isMembers(requestBody) || !/^cancelled$/i.test(String(requestBody.status)) || !isMembers(body))
    return [];
  const { status = "CANCELLED" } = body;
  return [
    /^cancelled$/i.test(String(status))
      ? undefined
      : choice("4.7-1", `the reply to a cancellation has status ${status}`),
  ];
}
