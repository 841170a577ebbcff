import { parseJson } from "../http/body.ts";
import { isLoopback } from "../http/loopback.ts";
import { fieldOf, readQuery, unknownParameters } from "../http/query.ts";
import { createRouter } from "../http/router.ts";
import { nearest } from "../kernel/nearest.ts";
import { Refusal } from "../kernel/refusal.ts";
import { AGENT_OPERATIONS } from "../subjects/agent/control.ts";
import type { ControlContext, ControlOperation, FileReply, Lines } from "../subjects/control-operation.ts";
import { CONTROL_PREFIX } from "../subjects/control-prefix.ts";
import { FAULT_OPERATIONS } from "../subjects/faults/control.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../subjects/message.ts";
import { OBJECT_STORAGE_OPERATIONS } from "../subjects/object-storage/control.ts";
import { RATE_LIMIT_OPERATIONS } from "../subjects/rate-limits/control.ts";
import { TRACE_OPERATIONS } from "../subjects/traces/control.ts";
import { WEBHOOK_OPERATIONS } from "../subjects/webhooks/control.ts";
import { checkOf } from "../validation/check.ts";
import { unknownFields } from "../validation/unknown-fields.ts";
import { CLOCK_OPERATIONS } from "./clock.ts";
import { INSPECTION_OPERATIONS } from "./inspection.ts";
import { RECORDING_OPERATIONS } from "./recording.ts";
import { WORLD_OPERATIONS } from "./worlds.ts";

/** Every test-only operation. */
export const CONTROL_OPERATIONS: readonly ControlOperation[] = [
  ...CLOCK_OPERATIONS,
  ...TRACE_OPERATIONS,
  ...OBJECT_STORAGE_OPERATIONS,
  ...AGENT_OPERATIONS,
  ...FAULT_OPERATIONS,
  ...RATE_LIMIT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...INSPECTION_OPERATIONS,
  ...RECORDING_OPERATIONS,
  ...WORLD_OPERATIONS,
];

const ROUTER = createRouter(
  CONTROL_OPERATIONS.map((row) => {
    const prefix = row.unversioned ? CONTROL_PREFIX.slice(0, -1) : `${CONTROL_PREFIX}v1`;
    return { method: row.method, path: prefix + row.path, row };
  }),
);

/** Answers the test-only operations; errors are `{"error":{"code","message","hint"}}`. */
export async function handleControl(
  context: ControlContext,
  request: HttpRequest,
  allowedHosts: readonly string[],
): Promise<HttpReply> {
  try {
    refuseCrossOrigin(request, allowedHosts);
    if (request.bodyProblem) throw request.bodyProblem;
    const found = ROUTER.find(request.method, request.path);
    if (!found) throw noSuchOperation(request.path);
    if ("allow" in found)
      throw new Refusal(405, "method_not_allowed", `${request.path} takes ${found.allow.join(", ")}.`);
    const asked = {
      ...(await check(found.row, request)),
      path: found.parameters,
      region: request.region,
      raw: request,
    };
    const checkedRequest = await found.row.run(context, asked);
    if (isFile(checkedRequest))
      return {
        status: 200,
        headers: { "content-type": "application/gzip", ...checkedRequest.headers },
        body: checkedRequest.attachment,
      };
    return isLines(checkedRequest)
      ? { status: 200, headers: { "content-type": "application/x-ndjson" }, body: checkedRequest.lines }
      : jsonReply(200, checkedRequest);
  } catch (error) {
    if (!(error instanceof Refusal))
      return jsonReply(500, { error: { code: "defect", message: String(error) } });
    const { status, code, message, hint } = error;
    return jsonReply(status, { error: { code, message, ...(hint && { hint }) } });
  }
}

/** What is there instead: the paths that resemble it, or the subjects that they begin with. */
function noSuchOperation(path: string): Refusal {
  const paths = CONTROL_OPERATIONS.filter(({ unversioned }) => !unversioned).map((row) => row.path);
  const meant = nearest(path.replace(`${CONTROL_PREFIX}v1`, ""), paths);
  const subjects = new Set(paths.map((known) => `/${known.split("/")[1]}`));
  const hint = meant
    ? `Did you mean ${CONTROL_PREFIX}v1${meant}?`
    : `Below ${CONTROL_PREFIX}v1 there are ${[...subjects].join(", ")}.`;
  return new Refusal(404, "not_found", `${path} is no control operation.`, hint);
}

async function check(row: ControlOperation, request: HttpRequest) {
  const query = readQuery(request.query, row.query ?? {});
  // Whatever is sent to an inbox is taken; elsewhere a parameter that is passed over would change what is done.
  const unread = row.unversioned ? [] : unknownParameters(request.query, row.query ?? {});
  const problems = unread.map((name) => `${name}: is not known here`);
  for (const [name, declared] of Object.entries(row.query ?? {})) {
    if (!(name in query)) continue;
    problems.push(...(await checkOf(fieldOf(declared)))(query[name], `query.${name}`));
  }
  const hint = unread.length > 0 ? knownIn(row.query ?? {}) : undefined;
  if (!row.body) return valueOrRefuse(problems, hint, { query, body: undefined });
  const body = request.body.length === 0 ? {} : parseJson(request.body);
  problems.push(...(await checkOf(row.body))(body, "body", request.body.length));
  const unknown = unknownFields(body, row.body, "body");
  problems.push(...unknown.map((name) => `${name}: is not known here`));
  const isFlat = unknown.some((name) => name.split(".").length === 2);
  return valueOrRefuse(problems, isFlat ? knownIn(row.body.properties ?? {}) : hint, { query, body });
}

function knownIn(fields: object): string {
  const names = Object.keys(fields);
  return names.length === 0 ? "Leave it out: nothing is read here." : `Known: ${names.join(", ")}.`;
}

function valueOrRefuse<T>(problems: readonly string[], hint: string | undefined, value: T): T {
  if (problems.length > 0) throw new Refusal(422, "invalid_request", problems.join("; "), hint);
  return value;
}

/** A page of another site, or a name that was made to point here, must not drive the emulator. */
function refuseCrossOrigin({ headers }: HttpRequest, allowedHosts: readonly string[]): void {
  const host = hostName(headers.host ?? "");
  const isAllowed = (name: string) => isLoopback(name) || allowedHosts.includes(name);
  if (!isAllowed(host))
    throw new Refusal(
      403,
      "foreign_host",
      `The control surface does not answer to ${host}.`,
      "Admit it with --allowed-hosts.",
    );
  const origin = headers.origin;
  if (origin !== undefined && !isAllowed(hostName(origin.replace(/^[a-z]+:\/\//, ""))))
    throw new Refusal(403, "foreign_origin", `The control surface does not answer to pages of ${origin}.`);
}

function hostName(authority: string): string {
  return authority.replace(/:\d+$/, "").toLowerCase();
}

function isLines(value: unknown): value is Lines {
  return typeof value === "object" && value !== null && "lines" in value;
}

function isFile(value: unknown): value is FileReply {
  return typeof value === "object" && value !== null && "attachment" in value;
}
