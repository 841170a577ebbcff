import { WORLD_HEADER } from "../engine/http-message.ts";
import { jsonOf } from "../engine/json.ts";
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
  ...mutantsOf("X-2", {
    "idle-clock": {
      lie: "time is moved in words only",
      send: (next) => (request) =>
        ADVANCE[1].test(request.path) ? next({ ...request, body: '{"by":"PT0S"}' }) : next(request),
    },
    "backward-clock": { lie: "time moves back", send: rewriteStatus(ADVANCE, [422], 200) },
    "one-hit-less": {
      lie: "a fault counts one hit less",
      send: rewriteReplyBody(["GET", /\/faults\/[^/]+$/], (rule) => ({
        ...rule,
        hits: Number(rule.hits) - 1,
      })),
    },
    "silent-on-sent": {
      lie: "the journal passes over unknown fields",
      send: rewriteReply(["GET", /\/journal/], (reply) => ({
        ...reply,
        text: reply.text.replaceAll('"unknown_fields"', '"fields"'),
      })),
    },
    "silent-on-answered": {
      lie: "the journal passes over what is answered beyond the specification",
      send: rewriteReply(["GET", /\/journal/], (reply) => ({
        ...reply,
        text: reply.text.replaceAll('"answered_beyond"', '"answered"'),
      })),
    },
    "one-world": {
      lie: "every world is the same one",
      send: (next) => (request) =>
        next({ ...request, headers: without(request.headers, WORLD_HEADER) as never }),
    },
    "idle-snapshot": {
      lie: "a snapshot is loaded in words only",
      send: answerInstead(({ path }) => path.endsWith("/load"), 200, {}),
    },
    untripped: {
      lie: "a row that was tripped admits",
      send: (next) => (request) =>
        next(request.method === "PUT" ? { ...request, body: '{"remaining":1}' } : request),
    },
    unforgetting: {
      lie: "a tripped row is not forgotten",
      send: answerInstead(({ path }) => path.endsWith("/rate-limits/reset"), 200, { reset: true }),
    },
  }),
  ...mutantsOf("X-3", {
    "always-right": {
      lie: "every export is verified",
      send: setReplyMembers(["GET", /\/verify$/], { ok: true, problems: [] }),
    },
    "never-asked": {
      lie: "nothing is recorded",
      send: rewriteReply(["GET", /\/recording$/], (reply) => ({
        ...reply,
        text: reply.text.slice(0, reply.text.indexOf("\n") + 1),
      })),
    },
    unpublished: {
      lie: "an operation is not published",
      send: rewriteReply(["GET", /^\/openapi\.json$/], (reply) => {
        const { paths, ...rest } = jsonOf(reply.text) as { readonly paths: Record<string, unknown> };
        const { "/threads": _, ...others } = paths;
        return { ...reply, text: JSON.stringify({ ...rest, paths: others }) };
      }),
    },
  }),
  ...mutantsOf("X-4", {
    "own-seed": { lie: "the seed is not the one that was given", settings: { seed: 1 } },
    "own-limits": { lie: "limits are not those that were given", settings: { limits: { max_retries: 20 } } },
  }),
];
