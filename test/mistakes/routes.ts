import type { WireRequest } from "../../contracts/engine/http-message.ts";
import { instantOf, iso } from "../../contracts/engine/instant.ts";
import type { Members } from "../../contracts/engine/json.ts";
import type { SendWrapper } from "./row.ts";
import { rewriteReplyBody, rewriteRequestBody } from "./wire.ts";

export const CREATE = ["POST", /^\/api\/v1\/bulk-exports$/] as const;
export const LIST = ["GET", /^\/api\/v1\/bulk-exports(\?|$)/] as const;
export const READ = ["GET", /^\/api\/v1\/bulk-exports\/[0-9a-f-]{36}$/] as const;
export const STOP = ["PATCH", /^\/api\/v1\/bulk-exports\//] as const;
export const RUNS = ["GET", /\/bulk-exports\/[^/]+\/runs$/] as const;
export const EXPORTS = ["*", /^\/api\/v1\/bulk-exports/] as const;
export const DESTINATION = ["POST", /\/destinations$/] as const;
export const INGEST = ["POST", /^\/runs\/batch$/] as const;
export const ADVANCE = ["POST", /\/clock\/advance$/] as const;

export const JSON_TYPE = { "content-type": "application/json" };

export const rewriteExports =
  (change: (body: Members, request: WireRequest) => unknown): SendWrapper =>
  (next) =>
    rewriteReplyBody(READ, change)(rewriteReplyBody(LIST, change)(rewriteReplyBody(CREATE, change)(next)));

export const rewriteExportStatus = (from: string, to: string): SendWrapper => {
  const change = (body: Members) => (body.status === from ? { ...body, status: to } : body);
  // A wait for the status also ends in vain.
  const wait = rewriteReplyBody(ADVANCE, (body) =>
    String(body.why).includes(` is ${from}`) ? { ...body, reached: false } : body,
  );
  return (next) => wait(rewriteExports(change)(rewriteReplyBody(RUNS, change)(next)));
};

/** The reply to a request that a server accepts without another look. */
export const MADE_UP_EXPORT = {
  id: "00000000-0000-4000-8000-0000000000aa",
  status: "CREATED",
  created_at: "2026-03-02T00:00:00Z",
};

/** Orders an export with another value where a member has this one. */
export const replaceInCreate = (member: string, from: unknown, to: unknown): SendWrapper =>
  rewriteRequestBody(CREATE, (body) => (body[member] === from ? { ...body, [member]: to } : body));

export const rewriteSpawned = (change: (body: Members) => Members): SendWrapper =>
  rewriteExports((body) => (body.source_bulk_export_id ? change(body) : body));

export const shiftTime = (time: unknown, by: number) => iso(instantOf(time) + by);

export const rewriteCreateWhen = (
  condition: (body: Members) => boolean,
  change: (body: Members) => unknown,
): SendWrapper => rewriteRequestBody(CREATE, (body) => (condition(body) ? change(body) : body));
