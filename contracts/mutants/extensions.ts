import { WORLD_HEADER } from "../engine/http-message.ts";
import { jsonOf, type Members } from "../engine/json.ts";
import {
  answerInstead,
  type Mutant,
  mutantsOf,
  rewriteReply,
  rewriteReplyBody,
  rewriteStatus,
  setReplyMembers,
  without,
} from "../engine/mutant.ts";
import { ADVANCE } from "./routes.ts";

/** What the test-only surface promises, and does not do. */
export const EXTENSION_MUTANTS: readonly Mutant[] = [
  ...mutantsOf("X-1", {
    "half-a-page": {
      wrongBehaviour: "queries in the newer format return one row less",
      send: rewriteReplyBody(["POST", /^\/api\/v2\/runs\/query$/], (body) => ({
        ...body,
        items: (body.items as readonly unknown[]).slice(1),
      })),
    },
    "childless-traces": {
      wrongBehaviour: "the rows of a trace lack the children of its root row",
      send: rewriteReplyBody(["GET", /^\/api\/v2\/traces\/[^/]+\/runs/], (body) => ({
        ...body,
        items: (body.items as readonly unknown[]).slice(0, 1),
      })),
    },
    "one-turn-threads": {
      wrongBehaviour: "threads count one turn each",
      send: rewriteReplyBody(["POST", /^\/api\/v2\/threads\/query$/], (body) => ({
        ...body,
        items: (body.items as readonly Members[]).map((thread) => ({ ...thread, count: 1 })),
      })),
    },
  }),
  ...mutantsOf("X-2", {
    "idle-clock": {
      wrongBehaviour: "an advance is confirmed, but time does not move",
      send: (next) => (request) =>
        ADVANCE[1].test(request.path) ? next({ ...request, body: '{"by":"PT0S"}' }) : next(request),
    },
    "backward-clock": { wrongBehaviour: "time can move back", send: rewriteStatus(ADVANCE, [422], 200) },
    "one-hit-less": {
      wrongBehaviour: "a fault reports one trigger less",
      send: rewriteReplyBody(["GET", /\/faults\/[^/]+$/], (rule) => ({
        ...rule,
        hits: Number(rule.hits) - 1,
      })),
    },
    "silent-on-sent": {
      wrongBehaviour: "the journal does not list unknown fields",
      send: rewriteReply(["GET", /\/journal/], (reply) => ({
        ...reply,
        text: reply.text.replaceAll('"unknown_fields"', '"fields"'),
      })),
    },
    "silent-on-answered": {
      wrongBehaviour: "the journal does not list undocumented reply members",
      send: rewriteReply(["GET", /\/journal/], (reply) => ({
        ...reply,
        text: reply.text.replaceAll('"answered_beyond"', '"answered"'),
      })),
    },
    "one-world": {
      wrongBehaviour: "all worlds share one state",
      send: (next) => (request) =>
        next({ ...request, headers: without(request.headers, WORLD_HEADER) as never }),
    },
    "idle-snapshot": {
      wrongBehaviour: "a load is confirmed, but the state does not change",
      send: answerInstead(({ path }) => path.endsWith("/load"), 200, {}),
    },
    untripped: {
      wrongBehaviour: "an exhausted rate limit admits requests",
      send: (next) => (request) =>
        next(request.method === "PUT" ? { ...request, body: '{"remaining":1}' } : request),
    },
    unforgetting: {
      wrongBehaviour: "an exhausted rate limit cannot be reset",
      send: answerInstead(({ path }) => path.endsWith("/rate-limits/reset"), 200, { reset: true }),
    },
  }),
  ...mutantsOf("X-3", {
    "always-right": {
      wrongBehaviour: "every export is reported as verified",
      send: setReplyMembers(["GET", /\/verify$/], { ok: true, problems: [] }),
    },
    "never-asked": {
      wrongBehaviour: "nothing is recorded",
      send: rewriteReply(["GET", /\/recording$/], (reply) => ({
        ...reply,
        text: reply.text.slice(0, reply.text.indexOf("\n") + 1),
      })),
    },
    unpublished: {
      wrongBehaviour: "the OpenAPI document lacks an operation",
      send: rewriteReply(["GET", /^\/openapi\.json$/], (reply) => {
        const { paths, ...rest } = jsonOf(reply.text) as { readonly paths: Record<string, unknown> };
        const { "/threads": _, ...others } = paths;
        return { ...reply, text: JSON.stringify({ ...rest, paths: others }) };
      }),
    },
  }),
  ...mutantsOf("X-4", {
    "own-seed": { wrongBehaviour: "the emulator ignores the given seed", settings: { seed: 1 } },
    "own-limits": {
      wrongBehaviour: "the emulator ignores the given limits",
      settings: { limits: { max_retries: 20 } },
    },
  }),
];
