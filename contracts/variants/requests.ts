import {
  answerInstead,
  rewriteReply,
  rewriteRequest,
  rewriteRequestBody,
  rewriteStatus,
} from "../engine/mutant.ts";
import { type Variant, variantsOf } from "../engine/variant.ts";
import { CREATE, DESTINATION, EXPORTS } from "../mutants/routes.ts";
import { accept, MADE_UP_EXPORT, renumber, reword } from "./changes.ts";

const oneTenant = { "x-tenant-id": "00000000-0000-4000-8000-000000000001" };

/** §1, §2.5, §4, §5 and §7.2: what is taken from whom, and what refusals are called. */
export const REQUEST_VARIANTS: readonly Variant[] = [
  ...variantsOf("2.7-1", {
    "json-printed-again": {
      differs: "JSON columns are parsed and printed again",
      send: rewriteRequestBody(["POST", /^\/runs\/batch$/], (body) => body),
    },
  }),
  ...variantsOf("4-1", {
    "text-plain": {
      differs: "a JSON body of another content type is accepted",
      send: rewriteRequest(EXPORTS, (request) => ({
        ...request,
        headers: { ...request.headers, "content-type": "application/json" },
      })),
    },
  }),
  ...variantsOf("5-7", {
    "no-key": {
      differs: "a call without a key is accepted",
      send: rewriteRequest(EXPORTS, ({ headers, ...request }) => ({
        ...request,
        headers: Object.keys(headers).some((name) => /^x-api-key$/i.test(name))
          ? headers
          : { "x-api-key": "anonymous", ...headers },
      })),
    },
    "no-tenant": {
      differs: "a call without X-Tenant-Id uses the workspace of the key",
      send: rewriteRequest(EXPORTS, (request) => ({
        ...request,
        headers: { ...oneTenant, ...request.headers },
      })),
    },
  }),
  ...variantsOf("5-3", {
    "foreign-403": {
      differs: "resources of another workspace are answered with 403",
      send: renumber(["*", /^\/api\/v1\/bulk-exports\/[0-9a-f-]{36}/], { 404: 403 }),
    },
  }),
  ...variantsOf("5-6", {
    "tenant-needed": {
      differs: "ingest without X-Tenant-Id is refused",
      send: answerInstead(
        ({ method, path, headers }) =>
          method === "POST" && /^\/(runs\/batch|api\/v1\/sessions)$/.test(path) && !headers["x-tenant-id"],
        422,
        { detail: "X-Tenant-Id" },
      ),
    },
  }),
  ...variantsOf("1-3", {
    "store-answers": {
      differs: "the key-value store and the metrics exist",
      send: answerInstead(({ path }) => /^\/(store\/items|metrics|mcp)$/.test(path), 200, { items: [] }),
    },
    "no-health": {
      differs: "health and server information do not exist",
      send: rewriteStatus(["GET", /^\/(ok|info)$/], [200], 404, { detail: "Not Found" }),
    },
    "unlisted-400": {
      differs: "an unknown path is answered with 400",
      send: renumber(["*", /nonsense|^\/(store|metrics|mcp)/], { 404: 400, 405: 400, 501: 400 }),
    },
  }),
  ...variantsOf("9-1", {
    alias: {
      differs: "bulk exports also exist without /api/v1",
      send: rewriteRequest(["*", /^\/bulk-exports/], (request) => ({
        ...request,
        path: `/api/v1${request.path}`,
      })),
    },
    "no-description": {
      differs: "the OpenAPI document of the agent server is at another path",
      send: answerInstead(({ path }) => path === "/openapi.json", 404, "Not Found"),
    },
  }),
  ...variantsOf("7.2-2", {
    "denied-put-bucket": {
      differs: "a denied put is reported as Bucket is not valid",
      send: rewriteReply(DESTINATION, (reply) => ({
        ...reply,
        text: reply.text.replace("Access denied", "Bucket is not valid"),
      })),
    },
    "bare-name": {
      differs: "the error of a destination is only its name",
      send: reword(DESTINATION, (message) => ({
        detail:
          /Access denied|Bucket is not valid|Key ID you provided does not exist|Invalid endpoint/.exec(
            message,
          )?.[0] ?? message,
      })),
    },
  }),
  ...variantsOf("2.5-10", {
    taken: {
      differs: "a malformed filter is accepted",
      send: accept(CREATE, (body) => typeof body.filter === "string", MADE_UP_EXPORT),
    },
  }),
  ...variantsOf("2.5-9", {
    "other-format": {
      differs: "format_version v9 is also accepted",
      send: accept(CREATE, ({ format_version }) => format_version === "v9", MADE_UP_EXPORT),
    },
  }),
];
