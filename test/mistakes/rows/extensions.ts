import { WORLD_HEADER } from "../../../contracts/engine/http-message.ts";
import { jsonOf, type Members } from "../../../contracts/engine/json.ts";
import { ADVANCE } from "../routes.ts";
import { mistakes, type Row } from "../row.ts";
import {
  answerInstead,
  rewriteReply,
  rewriteStatus,
  rewriteText,
  setReplyMembers,
  without,
} from "../wire.ts";

/** What the test-only surface promises, and does not do. */
export const EXTENSION_MISTAKES: readonly Row[] = mistakes({
  "X-1: queries in the newer format return one row less": setReplyMembers(
    ["POST", /^\/api\/v2\/runs\/query$/],
    (body) => ({ items: (body.items as readonly unknown[]).slice(1) }),
  ),
  "X-1: the rows of a trace lack the children of its root row": setReplyMembers(
    ["GET", /^\/api\/v2\/traces\/[^/]+\/runs/],
    (body) => ({ items: (body.items as readonly unknown[]).slice(0, 1) }),
  ),
  "X-1: threads count one turn each": setReplyMembers(["POST", /^\/api\/v2\/threads\/query$/], (body) => ({
    items: (body.items as readonly Members[]).map((thread) => ({ ...thread, count: 1 })),
  })),
  "X-2: an advance is confirmed, but time does not move": (next) => (request) =>
    ADVANCE[1].test(request.path) ? next({ ...request, body: '{"by":"PT0S"}' }) : next(request),
  "X-2: time can move back": rewriteStatus(ADVANCE, [422], 200),
  "X-2: a fault reports one trigger less": setReplyMembers(["GET", /\/faults\/[^/]+$/], (rule) => ({
    hits: Number(rule.hits) - 1,
  })),
  "X-2: the journal does not list unknown fields": rewriteText(["GET", /\/journal/], (text) =>
    text.replaceAll('"unknown_fields"', '"fields"'),
  ),
  "X-2: the journal does not list undocumented reply members": rewriteText(["GET", /\/journal/], (text) =>
    text.replaceAll('"answered_beyond"', '"answered"'),
  ),
  "X-2: all worlds share one state": (next) => (request) =>
    next({ ...request, headers: without(request.headers, WORLD_HEADER) as never }),
  "X-2: a load is confirmed, but the state does not change": answerInstead(
    ({ path }) => path.endsWith("/load"),
    200,
    {},
  ),
  "X-2: an exhausted rate limit admits requests": (next) => (request) =>
    next(request.method === "PUT" ? { ...request, body: '{"remaining":1}' } : request),
  "X-2: an exhausted rate limit cannot be reset": answerInstead(
    ({ path }) => path.endsWith("/rate-limits/reset"),
    200,
    { reset: true },
  ),
  "X-3: every export is reported as verified": setReplyMembers(["GET", /\/verify$/], {
    ok: true,
    problems: [],
  }),
  "X-3: nothing is recorded": rewriteText(["GET", /\/recording$/], (text) =>
    text.slice(0, text.indexOf("\n") + 1),
  ),
  "X-3: the OpenAPI document lacks an operation": rewriteReply(["GET", /^\/openapi\.json$/], (reply) => {
    const { paths, ...rest } = jsonOf(reply.text) as { readonly paths: Record<string, unknown> };
    const { "/threads": _, ...others } = paths;
    return { ...reply, text: JSON.stringify({ ...rest, paths: others }) };
  }),
  "X-4: the emulator ignores the given seed": { settings: { seed: 1 } },
  "X-4: the emulator ignores the given limits": { settings: { limits: { max_retries: 20 } } },
});
