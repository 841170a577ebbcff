import type { Members } from "../engine/contract.ts";
import { instantOf, iso } from "../engine/instant.ts";
import type { Send, WireReply, WireRequest } from "../engine/target.ts";
import { answers, sends, tells } from "./mutant.ts";

export const CREATE = ["POST", /^\/api\/v1\/bulk-exports$/] as const;
export const LIST = ["GET", /^\/api\/v1\/bulk-exports(\?|$)/] as const;
export const READ = ["GET", /^\/api\/v1\/bulk-exports\/[0-9a-f-]{36}$/] as const;
export const STOP = ["PATCH", /^\/api\/v1\/bulk-exports\//] as const;
export const RUNS = ["GET", /\/bulk-exports\/[^/]+\/runs$/] as const;
export const EXPORTS = ["*", /^\/api\/v1\/bulk-exports/] as const;
export const DESTINATION = ["POST", /\/destinations$/] as const;
export const INGEST = ["POST", /^\/runs\/batch$/] as const;
export const ADVANCE = ["POST", /\/clock\/advance$/] as const;

export type Wrap = (next: Send) => Send;

export const JSON_TYPE = { "content-type": "application/json" };

export const exportsTell =
  (change: (body: Members, request: WireRequest) => unknown): Wrap =>
  (next) =>
    tells(READ, change)(tells(LIST, change)(tells(CREATE, change)(next)));

export const statusTold = (from: string, to: string): Wrap => {
  const change = (body: Members) => (body.status === from ? { ...body, status: to } : body);
  // The wait for a status is asked of the same liar.
  const wait = tells(ADVANCE, (body) =>
    String(body.why).includes(` is ${from}`) ? { ...body, reached: false } : body,
  );
  return (next) => wait(exportsTell(change)(tells(RUNS, change)(next)));
};

/** A success that nobody has worked for. */
export const pretends = (
  route: Parameters<typeof answers>[0],
  when: (request: WireRequest) => boolean,
): Wrap => answers(route, (reply, request) => (reply.status >= 400 && when(request) ? madeUp(reply) : reply));

const madeUp = (reply: WireReply): WireReply => ({
  ...reply,
  status: 200,
  text: '{"id":"00000000-0000-4000-8000-0000000000aa","status":"CREATED"}',
});

export const bodyHas =
  (text: string) =>
  ({ body = "" }: WireRequest) =>
    body.includes(text);
export const spawned = (change: (body: Members) => Members): Wrap =>
  exportsTell((body) => (body.source_bulk_export_id ? change(body) : body));

export const later = (time: unknown, by: number) => iso(instantOf(time) + by);

export const when = (condition: (body: Members) => boolean, change: (body: Members) => unknown): Wrap =>
  sends(CREATE, (body) => (condition(body) ? change(body) : body));
