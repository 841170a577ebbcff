import { join } from "node:path";
import type { TraceScope } from "../../subjects/traces/port.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** Stands between the day and the ending of a file's name. */
export const ADDED = ".added";
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
export function scopeFolder(folder: string, scope: TraceScope): string {
  if (!isRegion(scope.region)) throw new Error(`not a region: ${JSON.stringify(scope.region)}`);
  if (!isUuid(scope.tenantId)) throw new Error(`not a tenant id: ${JSON.stringify(scope.tenantId)}`);
  return join(folder, scope.region, scope.tenantId);
}

/** Tells one tenant of one region from another. */
export function scopeKey({ region, tenantId }: TraceScope): string {
  return `${region}/${tenantId}`;
}

/** Where a store adds to a segment whose beginning it only reads in another folder. */
export function addedPath(path: string): string {
  return path + ADDED;
}

/** The files of a segment without their endings: `.ndjson` holds the rows, `.index` where they are. */
export function segmentPath(scopePath: string, sessionId: string, day: string): string {
  if (!isUuid(sessionId)) throw new Error(`not a session id: ${JSON.stringify(sessionId)}`);
  if (!isDay(day)) throw new Error(`not a day: ${JSON.stringify(day)}`);
  return join(scopePath, sessionId, day);
}
