import type { Operation } from "../../contracts/spec/operation.ts";
import { Refusal } from "../kernel/refusal.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../subjects/message.ts";
import type { Settings } from "../subjects/settings.ts";

/** The reply to a refused request, or to one that hit a defect. */
export function refusalReply(
  error: unknown,
  { method, path }: HttpRequest,
  operation: Pick<Operation, "server"> | undefined,
  settings: Settings,
): HttpReply {
  const bodyOf = (message: string) => (isString(operation, settings) ? message : { detail: message });
  if (error instanceof Refusal) {
    const { status, message, hint } = error;
    return jsonReply(status, bodyOf(hint ? `${message} ${hint}` : message));
  }
  const message = error instanceof Error ? error.message : String(error);
  return jsonReply(
    500,
    bodyOf(
      `A defect of the emulator, not of your request (${method} ${path}): ${message}. GET /_emulator/v1/journal has its last turns.`,
    ),
  );
}

/** §2.3: errors of the agent server are plain strings; those of the platform have a member `detail`. */
function isString(operation: Pick<Operation, "server"> | undefined, { assumptions }: Settings): boolean {
  return operation?.server === "agent" && assumptions["agent.error_body"] === "a JSON string";
}
