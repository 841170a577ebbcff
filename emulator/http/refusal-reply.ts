import { ASSUMPTIONS } from "../../contracts/spec/assumptions.ts";
import type { Operation } from "../../contracts/spec/operation.ts";
import { statusChoiceOf } from "../../contracts/spec/refusal-statuses.ts";
import type { RequirementId } from "../../contracts/spec/requirements.ts";
import type { Refusal } from "../kernel/refusal.ts";
import { refusalIn } from "../kernel/system-refusal.ts";
import { CONTROL_PREFIX, REQUIREMENT_HEADER } from "../subjects/control-prefix.ts";
import {
  type HttpReply,
  type HttpRequest,
  jsonReply,
  NO_HEADERS,
  type ReplyHeaders,
  withHeaders,
} from "../subjects/message.ts";
import type { Settings } from "../subjects/settings.ts";
import { mediaOf } from "./body.ts";
import { otlpErrorReply } from "./otlp/status.ts";

/** The reply to a refused request, or to one that hit a defect. */
export function refusalReply(
  error: unknown,
  request: HttpRequest,
  operation: Pick<Operation, "server" | "errors" | "shownRefusals"> | undefined,
  settings: Settings,
): HttpReply {
  const refusal = refusalIn(error);
  const { status, message } = refusal ? worded(refusal) : defect(error, request);
  const headers = requirementHeader(refusal?.requirement);
  if (operation?.errors === "otlp") {
    const isUnreadable = status === 422 || refusal?.code === "unreadable_body";
    const isProtobuf = mediaOf(request.headers) === "application/x-protobuf";
    return withHeaders(otlpErrorReply(isUnreadable ? 400 : status, message, isProtobuf), headers);
  }
  const finalStatus = refusal && operation ? statusUnder(settings, operation, refusal) : status;
  const form = formOf(operation, settings);
  if (form === "plain text")
    return { status: finalStatus, headers: { ...TEXT_TYPE, ...headers }, body: message };
  return jsonReply(finalStatus, BODIES[form](message), headers);
}

function statusUnder(
  { assumptions }: Settings,
  operation: Pick<Operation, "server" | "shownRefusals">,
  refusal: Refusal,
): number {
  const id = statusChoiceOf(operation, refusal);
  return id !== undefined && ASSUMPTIONS[id].choice === refusal.status
    ? (assumptions[id] as number)
    : refusal.status;
}

const TEXT_TYPE = { "content-type": "text/plain; charset=utf-8" };

const BODIES = {
  "a JSON string": (message: string) => message,
  '{"detail": string}': (message: string) => ({ detail: message }),
  '{"detail": [{"msg": string}]}': (message: string) => ({ detail: [{ msg: message }] }),
  '{"error": {"message": string}}': (message: string) => ({ error: { message } }),
};

/** §2.3: errors of the agent server are plain strings; those of the platform have a member `detail`. */
function formOf(operation: Pick<Operation, "server"> | undefined, { assumptions }: Settings) {
  const id = operation?.server === "agent" ? "agent.error_body" : "platform.error_body";
  return assumptions[id] as keyof typeof BODIES | "plain text";
}

function worded({ status, message, hint }: Refusal) {
  return { status, message: hint ? `${message} ${hint}` : message };
}

function defect(error: unknown, { method, path }: HttpRequest) {
  const message = error instanceof Error ? error.message : String(error);
  return {
    status: 500,
    message: `A defect of the emulator, not of your request (${method} ${path}): ${message.replace(/\.$/, "")}. GET /_emulator/v1/journal has its last turns.`,
  };
}

/** The reply to a request that was refused by a control operation, or before its operation was looked for. */
export function earlyRefusalReply(refusal: Refusal, path: string, headers?: ReplyHeaders): HttpReply {
  const { status, code, message, hint, requirement } = refusal;
  if (path.includes(CONTROL_PREFIX))
    return jsonReply(status, { error: { code, message, hint, requirement } });
  const detail = hint === undefined ? message : `${message} ${hint}`;
  return jsonReply(status, { detail }, { ...requirementHeader(requirement), ...headers });
}

/** Bodies are as the service has them: what asks for a refusal of the API stands in a header. */
function requirementHeader(requirement: RequirementId | undefined): ReplyHeaders {
  return requirement === undefined ? NO_HEADERS : { [REQUIREMENT_HEADER]: requirement };
}
