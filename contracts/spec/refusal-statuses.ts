import type { AssumptionId } from "./assumptions.ts";
import type { Operation } from "./operation.ts";

type Choices = Readonly<Record<string | number, AssumptionId>>;

const OF_BOTH = {
  401: "platform.missing_key",
  403: "platform.foreign_workspace",
  405: "platform.method_not_allowed",
  415: "platform.content_type",
  429: "rate_limit.status",
} as const;

/** The assumption that decides the status of a refusal, by its usual status. */
const BY_STATUS: Readonly<Record<Operation["server"], Choices>> = {
  platform: {
    ...OF_BOTH,
    400: "destination.error_status",
    404: "platform.unknown_id",
    422: "platform.invalid_request",
  },
  agent: {
    ...OF_BOTH,
    400: "agent.cron_empty_change",
    404: "agent.unknown_id",
    422: "agent.invalid_request",
  },
  system: {},
};

/** Refusals with an assumption of their own, by their code. */
const BY_CODE: Choices = {
  already_ended: "platform.conflict",
  already_final: "export.cancel_final",
  conflict: "platform.conflict",
  invalid_webhook: "agent.webhook_refusal",
  missing_workspace: "platform.missing_tenant",
  not_shown: "platform.unlisted_path",
  thread_busy: "agent.multitask_reject",
  unknown_project: "export.unknown_project",
  unsupported_by_version: "platform.version_gate",
};

/** The assumption that decides the status of a refusal; undefined for a status that is shown, or of our own. */
export function statusChoiceOf(
  { server, shownRefusals = [] }: Pick<Operation, "server" | "shownRefusals">,
  { status, code }: { readonly status: number; readonly code: string },
): AssumptionId | undefined {
  return shownRefusals.includes(status) ? undefined : (BY_CODE[code] ?? BY_STATUS[server][status]);
}
