import { createRouter, type Found, segmentsOf } from "../../contracts/spec/path.ts";
import { parseJson } from "../http/body.ts";
import { checkRequest, checksOf, prepareChecks } from "../http/operation-check.ts";
import { earlyRefusalReply } from "../http/refusal-reply.ts";
import { nearest } from "../kernel/nearest.ts";
import { invalidRequest, Refusal } from "../kernel/refusal.ts";
import { refusalIn } from "../kernel/system-refusal.ts";
import { AGENT_OPERATIONS } from "../subjects/agent/control.ts";
import { EXPORT_OPERATIONS } from "../subjects/bulk-exports/control.ts";
import type { ControlContext, ControlOperation, FileReply, Lines } from "../subjects/control-operation.ts";
import { CONTROL_PREFIX } from "../subjects/control-prefix.ts";
import { CRON_OPERATIONS } from "../subjects/crons/control.ts";
import { FAULT_OPERATIONS } from "../subjects/faults/control.ts";
import { FILTER_OPERATIONS } from "../subjects/filters/control.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../subjects/message.ts";
import { OBJECT_STORAGE_OPERATIONS } from "../subjects/object-storage/control.ts";
import { RATE_LIMIT_OPERATIONS } from "../subjects/rate-limits/control.ts";
import type { Settings } from "../subjects/settings.ts";
import { TRACE_OPERATIONS } from "../subjects/traces/control.ts";
import { WEBHOOK_OPERATIONS } from "../subjects/webhooks/control.ts";
import { CLOCK_OPERATIONS } from "./clock.ts";
import { FIND_OPERATIONS } from "./find.ts";
import { INSPECTION_OPERATIONS } from "./inspection.ts";
import { RECORDING_OPERATIONS } from "./recording.ts";
import { REQUEST_OPERATIONS } from "./requests.ts";
import { TURN_OPERATIONS } from "./turns/operations.ts";
import { WORKSPACE_OPERATIONS } from "./workspaces.ts";
import { WORLD_OPERATIONS } from "./worlds.ts";

export const CONTROL_OPERATIONS = [
  ...CLOCK_OPERATIONS,
  ...TRACE_OPERATIONS,
  ...OBJECT_STORAGE_OPERATIONS,
  ...AGENT_OPERATIONS,
  ...CRON_OPERATIONS,
  ...FAULT_OPERATIONS,
  ...RATE_LIMIT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...EXPORT_OPERATIONS,
  ...FILTER_OPERATIONS,
  ...WORKSPACE_OPERATIONS,
  ...INSPECTION_OPERATIONS,
  ...TURN_OPERATIONS,
  ...FIND_OPERATIONS,
  ...RECORDING_OPERATIONS,
  ...REQUEST_OPERATIONS,
  ...WORLD_OPERATIONS,
] as const;

const LINE_END = Buffer.from("\n");

const ROUTER = createRouter(() =>
  CONTROL_OPERATIONS.map((row) => {
    const prefix = row.unversioned ? CONTROL_PREFIX.slice(0, -1) : `${CONTROL_PREFIX}v1`;
    return { methods: [row.method], path: prefix + row.path, row };
  }),
);

/**
 * Answers control operations; errors are `{"error":{"code","message","hint","requirement"}}`. `record` is called with
 * the reply to a request that recordings include.
 */
export async function handleControl(
  context: ControlContext,
  request: HttpRequest,
  record?: (reply: HttpReply) => void,
): Promise<HttpReply> {
  const match = ROUTER.find(request.method, segmentsOf(request.path));
  const reply = withLineEnd(await answer(context, request, match));
  const isRecorded = !match || !("row" in match) || (match.row.recorded !== false && !isDryRun(request));
  // Reads and dry runs change nothing, so recordings omit them.
  if (request.method !== "GET" && isRecorded) record?.(reply);
  return reply;
}

/** Whether a request replaces the state of its world, and by which snapshot; undefined for all other requests. */
export function replacementOf({ method, path }: HttpRequest): { readonly snapshot?: string } | undefined {
  const match = ROUTER.find(method, segmentsOf(path));
  if (!match || !("row" in match) || !(match.row as ControlOperation).replaces) return undefined;
  const { name } = match.parameters;
  return name === undefined ? {} : { snapshot: name };
}

function isDryRun({ query }: HttpRequest): boolean {
  return new URLSearchParams(query).get("dry_run") === "1";
}

/** Ends the body with a line break, so that a shell prints its prompt on a new line. */
function withLineEnd(reply: HttpReply): HttpReply {
  const { body } = reply;
  if (typeof body === "string") return body === "" ? reply : { ...reply, body: `${body}\n` };
  return body instanceof Uint8Array ? { ...reply, body: Buffer.concat([body, LINE_END]) } : reply;
}

async function answer(
  context: ControlContext,
  request: HttpRequest,
  match: Found<ControlOperation>,
): Promise<HttpReply> {
  try {
    if (request.bodyProblem) throw request.bodyProblem;
    if (!match) throw noSuchOperation(request.path);
    if ("allow" in match)
      throw new Refusal(
        405,
        "method_not_allowed",
        `${request.path} does not accept ${request.method}. Use ${match.allow.join(" or ")}.`,
      );
    if (request.method !== "GET") context.world.requireLive();
    if (match.row.hasHistory === false) context.world.requireLive(() => withoutHistory(request.path));
    if (match.row.stores && request.storageProblem) throw request.storageProblem;
    const checked = {
      ...(await check(match.row, context.world.ports.settings, match.parameters, request)),
      region: request.region,
      raw: request,
    };
    const result = await runUnlessEnded(context.world, request, () => match.row.run(context, checked));
    if (isFile(result))
      return {
        status: 200,
        headers: { "content-type": "application/gzip", ...result.headers },
        body: result.attachment,
      };
    if (!isLines(result)) return jsonReply(200, result);
    const { lines, isEndless } = result;
    return { status: 200, headers: { "content-type": "application/x-ndjson" }, body: lines, isEndless };
  } catch (error) {
    const refusal = refusalIn(error);
    if (!refusal) return jsonReply(500, { error: { code: "defect", message: String(error) } });
    return earlyRefusalReply(refusal, request.path);
  }
}

/** A read of a world that is removed or reset meanwhile is refused for that reason, because its files are gone. */
async function runUnlessEnded(
  world: ControlContext["world"],
  { method }: HttpRequest,
  run: () => unknown,
): Promise<unknown> {
  const { defect } = world;
  const hasEnded = () => method === "GET" && world.defect !== defect;
  try {
    const result = await run();
    if (!hasEnded()) return result;
  } catch (error) {
    if (!hasEnded()) throw error;
  }
  throw world.defect;
}

function withoutHistory(path: string): Refusal {
  return new Refusal(
    422,
    "has_no_history",
    `GET ${path} is not about one world, so it has no history.`,
    "Send the request without X-Emulator-As-Of and as_of.",
  );
}

/** A 404 that suggests similar paths, or lists the first segments of all paths. */
function noSuchOperation(path: string): Refusal {
  const paths = CONTROL_OPERATIONS.filter(({ unversioned }) => !unversioned).map((row) => row.path);
  const nearestPath = nearest(path.replaceAll(`${CONTROL_PREFIX}v1`, ""), paths);
  const subjects = new Set(paths.map((operationPath) => `/${operationPath.split("/")[1]}`));
  const hint = nearestPath
    ? `Did you mean ${CONTROL_PREFIX}v1${nearestPath}?`
    : `The paths below ${CONTROL_PREFIX}v1 start with ${[...subjects].join(", ")}.`;
  return new Refusal(404, "not_found", `${path} is not a control operation.`, hint);
}

async function check(
  row: ControlOperation,
  { limits }: Settings,
  path: Readonly<Record<string, string>>,
  request: HttpRequest,
) {
  const isEmpty = request.body.length === 0;
  const value = row.body && (isEmpty ? {} : parseJson(request.body, limits));
  const checks = checksOf(row) ?? (await prepareChecks(row));
  const { problems, unknown, ...checked } = checkRequest(row, checks, { request, path, body: { value } });
  // An inbox accepts any body; elsewhere an unknown member is refused, since ignoring it would change the result.
  const unread = row.unversioned ? [] : unknown;
  const allProblems = [...problems, ...unread.map((name) => `${name}: is not a known field`)];
  if (allProblems.length > 0) throw invalidRequest(allProblems.join("; "), knownNamesHint(row, unread));
  return checked;
}

/** A hint with the known names, if the unknown ones are at the top level of the body or in the query. */
function knownNamesHint(
  { query = {}, body }: ControlOperation,
  unknown: readonly string[],
): string | undefined {
  const isIn = (part: string) =>
    unknown.some((name) => name.startsWith(`${part}.`) && name.split(".").length === 2);
  const fields = isIn("body") ? body?.properties : isIn("query") ? query : undefined;
  if (!fields) return undefined;
  const names = Object.keys(fields);
  return names.length === 0
    ? "Leave it out: this operation has no parameters."
    : `Valid names: ${names.join(", ")}.`;
}

function isLines(value: unknown): value is Lines {
  return typeof value === "object" && value !== null && "lines" in value;
}

function isFile(value: unknown): value is FileReply {
  return typeof value === "object" && value !== null && "attachment" in value;
}
