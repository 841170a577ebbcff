import type { Members } from "../../../contracts/engine/json.ts";
import { isMembers, jsonOf } from "../../../contracts/engine/json.ts";
import { CREATE, DESTINATION, EXPORTS, INGEST, JSON_TYPE, MADE_UP_EXPORT } from "../routes.ts";
import { differences, mistakes, type Row, type SendWrapper } from "../row.ts";
import {
  accept,
  answerInstead,
  rewriteReply,
  rewriteReplyBody,
  rewriteRequest,
  rewriteRequestBody,
  rewriteStatus,
  setReplyMembers,
  setRequestHeaders,
  setRequestMembers,
  without,
} from "../wire.ts";

const rewriteConfig = (change: (config: Members) => Members): SendWrapper =>
  rewriteRequestBody(DESTINATION, (body) =>
    isMembers(body.config) ? { ...body, config: change(body.config) } : body,
  );

/** Refuses destinations of keys that lack a permission, which it has seen being created. */
function refuseWithout(permission: string): SendWrapper {
  return (next) => {
    const lacking = new Set<unknown>();
    return async (request) => {
      const body = jsonOf(request.body);
      if (isMembers(body) && Array.isArray(body.deny) && body.deny.includes(permission))
        lacking.add(body.access_key_id);
      const key = isMembers(body) && isMembers(body.credentials) ? body.credentials.access_key_id : undefined;
      if (!lacking.has(key)) return next(request);
      return { status: 400, headers: JSON_TYPE, text: '{"detail":"Access denied"}' };
    };
  };
}

const rewriteErrorDetail = (name: string, to: unknown): SendWrapper =>
  rewriteReply(DESTINATION, (reply) =>
    reply.text.includes(name) ? { ...reply, text: JSON.stringify({ detail: to }) } : reply,
  );

/** §1, §2.4, §4, §5 and §7: regions, destinations, callers and errors. */
export const CALLER_MISTAKES: readonly Row[] = [
  ...mistakes({
    "1-1: the EU region does not respond": answerInstead(({ region }) => region === "eu", 503, {
      detail: "no",
    }),
    "1-2: both addresses lead to one region": (next) => (request) => next({ ...request, region: "us" }),
    "1-4: a thread retains only its newest hundred messages": rewriteReplyBody(
      ["GET", /\/threads\/[^/]+$/],
      ({ values, ...thread }) => {
        const { messages, ...others } = (values ?? {}) as Members;
        return {
          ...thread,
          values: { ...others, messages: Array.isArray(messages) ? messages.slice(-100) : [] },
        };
      },
    ),
    "1-4: a thread retains only its newest run": rewriteReplyBody(
      ["GET", /\/threads\/[^/]+$/],
      ({ values, ...thread }) => {
        const { messages } = (values ?? {}) as Members;
        return { ...thread, values: { messages: Array.isArray(messages) ? messages.slice(-2) : [] } };
      },
    ),
    "1-5: a key of one region is accepted in both": (next) => (request) =>
      next(
        request.headers["x-api-key"] === "contract-key-eu"
          ? { ...request, headers: { ...request.headers, "x-api-key": "contract-key-anywhere" } }
          : request,
      ),
    "1-3: a trailing slash is ignored": (next) => (request) =>
      next({ ...request, path: request.path.replace(/\/$/, "") }),
    "1-3: every path returns success": rewriteStatus(["*", /./], [404, 501], 200, {}),
    "2.4-1: the region is optional": rewriteConfig((body) => ({ region: "us-east-1", ...body })),
    "2.4-1: display_name is optional": rewriteRequestBody(DESTINATION, (body) => ({
      display_name: "x",
      ...body,
    })),
    "2.4-1: prefix is optional": rewriteConfig((body) => ({ prefix: "", ...body })),
    "2.4-1: destination_type accepts any value": setRequestMembers(DESTINATION, { destination_type: "s3" }),
    "2.4-2: replies contain the credentials": (next) => async (request) => {
      const reply = await next(request);
      const [requestBody, replyBody] = [jsonOf(request.body), jsonOf(reply.text)];
      if (!DESTINATION[1].test(request.path) || !isMembers(requestBody) || !isMembers(replyBody))
        return reply;
      return { ...reply, text: JSON.stringify({ ...replyBody, credentials: requestBody.credentials }) };
    },
    "2.4-7: permission to put objects is not required": accept(DESTINATION, () => true, MADE_UP_EXPORT),
    "2.4-8: permission to delete objects is required": refuseWithout("delete"),
    "2.4-9: permission to get objects is required": refuseWithout("get"),
    "2.4-9: the size of a written file is never requested from the store": setReplyMembers(
      ["GET", /\/faults\//],
      {
        hits: 0,
      },
    ),
    "2.4-11: endpoint_url is refused": rewriteConfig((body) =>
      body.endpoint_url ? { ...body, bucket_name: "" } : body,
    ),
    "2.4-12: endpoint_url is required": answerInstead(
      ({ method, path, body }) =>
        method === "POST" && DESTINATION[1].test(path) && !body?.includes("endpoint_url"),
      422,
      { detail: "endpoint_url" },
    ),
    "2.4-13: include_bucket_in_prefix is ignored": rewriteConfig((body) =>
      without(body, "include_bucket_in_prefix"),
    ),
    "5-1: the key header is case-sensitive": rewriteRequest(EXPORTS, (request) =>
      "X-Api-Key" in request.headers
        ? { ...request, headers: without(request.headers, "X-Api-Key") as never }
        : request,
    ),
    "5-7: a key is not required": rewriteRequest(EXPORTS, (request) => ({
      ...request,
      headers: { "x-api-key": "any", ...request.headers },
    })),
    "5-7: X-Tenant-Id is not required": rewriteRequest(EXPORTS, (request) => ({
      ...request,
      headers: { "x-tenant-id": "00000000-0000-4000-8000-000000000001", ...request.headers },
    })),
    "5-3: all keys share one workspace": setRequestHeaders(EXPORTS, {
      "x-tenant-id": "00000000-0000-4000-8000-000000000001",
    }),
    "5-6: ingest requires X-Tenant-Id": answerInstead(
      ({ path, headers }) => INGEST[1].test(path) && !headers["x-tenant-id"],
      422,
      {
        detail: "X-Tenant-Id",
      },
    ),
    "7-1: errors have the member error instead of detail": rewriteReply(EXPORTS, (reply) =>
      reply.status >= 400 ? { ...reply, text: reply.text.replace('"detail"', '"error"') } : reply,
    ),
    "7-1: an unknown id is answered with 400": rewriteStatus(EXPORTS, [404], 400),
    "7.2-1: every error of a store is reported as an invalid endpoint": rewriteErrorDetail(
      "EntityTooLarge",
      "Invalid endpoint",
    ),
    "7.2-2: a wrong secret is reported as an unknown key": rewriteErrorDetail(
      "Access denied",
      "Key ID you provided does not exist",
    ),
  }),
  ...differences({
    "4-1: any content type is accepted": setRequestHeaders(CREATE, { "content-type": "application/json" }),
  }),
];
