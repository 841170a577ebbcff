import type { TraceScope } from "../../subjects/traces/port.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The form of a day, which may be invalid. */
export const DAY = /^\d{4}-\d\d-\d\d$/;
export const REGION = /^[a-z]+$/;

/** Whether a text is a lower-case uuid, the only spelling of stored ids. */
export function isUuid(text: unknown): text is string {
  return typeof text === "string" && UUID.test(text);
}

/** Checks names from outside that become folders. */
export function checkScope({ region, tenantId }: TraceScope): void {
  if (!REGION.test(region)) throw new Error(`${JSON.stringify(region)} is not a region.`);
  if (!isUuid(tenantId))
    throw new Error(`${JSON.stringify(tenantId)} is not a tenant id, which is a lower-case UUID.`);
}

/** The key of a tenant in a region. */
export function scopeKey({ region, tenantId }: TraceScope): string {
  return `${region}/${tenantId}`;
}
