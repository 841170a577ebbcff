import type { TraceScope } from "../../subjects/traces/port.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const REGION = /^[a-z]+$/;

/** True for a uuid in lower case, the only spelling in which ids are kept. */
export function isUuid(text: unknown): text is string {
  return typeof text === "string" && UUID.test(text);
}

/** Whether a name has the form of a day; there need not be such a day. */
export function isDay(text: string): boolean {
  return DAY.test(text);
}

export function isRegion(text: string): boolean {
  return REGION.test(text);
}

/** Names come from outside and become folders, so nothing but these two shapes may pass. */
export function checkScope({ region, tenantId }: TraceScope): void {
  if (!isRegion(region)) throw new Error(`not a region: ${JSON.stringify(region)}`);
  if (!isUuid(tenantId)) throw new Error(`not a tenant id: ${JSON.stringify(tenantId)}`);
}

/** Key of a tenant in a region. */
export function scopeKey({ region, tenantId }: TraceScope): string {
  return `${region}/${tenantId}`;
}
