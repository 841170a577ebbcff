import { EXPORT_STATUS_NAMES } from "../../contracts/spec/lifecycle.ts";
import { parseInstant } from "../kernel/instant.ts";
import type { AdvanceTarget } from "./views.ts";

/** Where the clock stops: at a time, or at the first event after which an export has a status. */
export type UntilTarget = Pick<AdvanceTarget, "to"> | { readonly until: ExportCondition };

interface ExportCondition {
  readonly export: string;
  readonly status: string;
}

/** For messages: what `until` may be. */
export const UNTIL_FORMS = `a date, a time, or an export id and optionally a status (${EXPORT_STATUS_NAMES.join(", ")})`;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const EXPORT = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\s+([a-z]+))?$/i;
const FINAL_STATUS = "COMPLETED";

/**
 * Reads `2026-03-01`, `2026-03-01T06:00:00Z`, `<export id>`, `<export id> FAILED` or the object that the control API
 * takes; the status is COMPLETED when it is absent. Undefined for other text and for unknown statuses.
 */
export function parseUntil(
  value: string | { readonly export: string; readonly status?: string | undefined },
): UntilTarget | undefined {
  if (typeof value === "object") return conditionOf(value.export, value.status);
  const to = DATE.test(value) ? `${value}T00:00:00Z` : value;
  if (parseInstant(to) !== undefined) return { to };
  const [, id, status] = EXPORT.exec(value) ?? [];
  return id === undefined ? undefined : conditionOf(id, status);
}

function conditionOf(id: string, statusText = FINAL_STATUS): UntilTarget | undefined {
  const status = EXPORT_STATUS_NAMES.find((name) => name === statusText.toUpperCase());
  return status && { until: { export: id, status } };
}
