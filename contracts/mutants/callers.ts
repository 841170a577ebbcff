import type { Members } from "../engine/json.ts";
import { isMembers, jsonOf } from "../engine/json.ts";
import {
  answerInstead,
  type Mutant,
  mutantsOf,
  rewriteReply,
  rewriteReplyBody,
  rewriteRequest,
  rewriteRequestBody,
  rewriteStatus,
  type SendWrapper,
  setReplyMembers,
  setRequestHeaders,
  setRequestMembers,
  without,
} from "../engine/mutant.ts";
import { CREATE, DESTINATION, EXPORTS, fakeSuccess, INGEST, JSON_TYPE } from "./routes.ts";

const rewriteConfig = (change: (config: Members) => Members): SendWrapper =>
  rewriteRequestBody(DESTINATION, (body) =>
    isMembers(body.config) ? { ...body, config: change(body.config) } : body,
  );

/** Refuses destinations of keys that lack a permission, which the mutant has recorded. */
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
export const CALLER_MUTANTS: readonly Mutant[] = [
  ...mutantsOf("1-1", {
    "one-region": {
      wrongBehaviour: "the EU region does not respond",
      send: answerInstead(({ region }) => region === "eu", 503, { detail: "no" }),
    },
  }),
  ...mutantsOf("1-2", {
    "wrong-region": {
      wrongBehaviour: "both addresses lead to one region",
      send: (next) => (request) => next({ ...request, region: "us" }),
    },
  }),
  ...mutantsOf("1-4", {
    "hundred-messages": {
      wrongBehaviour: "a thread retains only its newest hundred messages",
      send: rewriteReplyBody(["GET", /\/threads\/[^/]+$/], ({ values, ...thread }) => {
        const { messages, ...others } = (values ?? {}) as Members;
        return {
          ...thread,
          values: { ...others, messages: Array.isArray(messages) ? messages.slice(-100) : [] },
        };
      }),
    },
    "newest-run": {
      wrongBehaviour: "a thread retains only its newest run",
      send: rewriteReplyBody(["GET", /\/threads\/[^/]+$/], ({ values, ...thread }) => {
        const { messages } = (values ?? {}) as Members;
        return { ...thread, values: { messages: Array.isArray(messages) ? messages.slice(-2) : [] } };
      }),
    },
  }),
  ...mutantsOf("1-5", {
    "both-regions": {
      wrongBehaviour: "a key of one region is accepted in both",
      send: (next) => (request) =>
        next(
          request.headers["x-api-key"] === "contract-key-eu"
            ? { ...request, headers: { ...request.headers, "x-api-key": "contract-key-anywhere" } }
            : request,
        ),
    },
  }),
  ...mutantsOf("1-3", {
    "slash-ignored": {
      wrongBehaviour: "a trailing slash is ignored",
      send: (next) => (request) => next({ ...request, path: request.path.replace(/\/$/, "") }),
    },
    "made-up": {
      wrongBehaviour: "every path returns success",
      send: rewriteStatus(["*", /./], [404, 501], 200, {}),
    },
  }),
  ...mutantsOf("2.4-1", {
    "no-region-needed": {
      wrongBehaviour: "the region is optional",
      send: rewriteConfig((body) => ({ region: "us-east-1", ...body })),
    },
    "no-name-needed": {
      wrongBehaviour: "display_name is optional",
      send: rewriteRequestBody(DESTINATION, (body) => ({ display_name: "x", ...body })),
    },
    "no-prefix-needed": {
      wrongBehaviour: "prefix is optional",
      send: rewriteConfig((body) => ({ prefix: "", ...body })),
    },
    "any-type": {
      wrongBehaviour: "destination_type accepts any value",
      send: setRequestMembers(DESTINATION, { destination_type: "s3" }),
    },
  }),
  ...mutantsOf("2.4-2", {
    echoed: {
      wrongBehaviour: "replies contain the credentials",
      send: (next) => async (request) => {
        const reply = await next(request);
        const [requestBody, replyBody] = [jsonOf(request.body), jsonOf(reply.text)];
        if (!DESTINATION[1].test(request.path) || !isMembers(requestBody) || !isMembers(replyBody))
          return reply;
        return { ...reply, text: JSON.stringify({ ...replyBody, credentials: requestBody.credentials }) };
      },
    },
  }),
  ...mutantsOf("2.4-7", {
    pretended: {
      wrongBehaviour: "permission to put objects is not required",
      send: fakeSuccess(DESTINATION, () => true),
    },
  }),
  ...mutantsOf("2.4-8", {
    needed: { wrongBehaviour: "permission to delete objects is required", send: refuseWithout("delete") },
  }),
  ...mutantsOf("2.4-9", {
    needed: { wrongBehaviour: "permission to get objects is required", send: refuseWithout("get") },
    unread: {
      wrongBehaviour: "the size of a written file is never requested from the store",
      send: setReplyMembers(["GET", /\/faults\//], { hits: 0 }),
    },
  }),
  ...mutantsOf("2.4-11", {
    refused: {
      wrongBehaviour: "endpoint_url is refused",
      send: rewriteConfig((body) => (body.endpoint_url ? { ...body, bucket_name: "" } : body)),
    },
  }),
  ...mutantsOf("2.4-12", {
    "endpoint-needed": {
      wrongBehaviour: "endpoint_url is required",
      send: answerInstead(
        ({ method, path, body }) =>
          method === "POST" && DESTINATION[1].test(path) && !body?.includes("endpoint_url"),
        422,
        { detail: "endpoint_url" },
      ),
    },
  }),
  ...mutantsOf("2.4-13", {
    ignored: {
      wrongBehaviour: "include_bucket_in_prefix is ignored",
      send: rewriteConfig((body) => without(body, "include_bucket_in_prefix")),
    },
  }),
  ...mutantsOf("4-1", {
    "any-type": {
      wrongBehaviour: "any content type is accepted",
      mild: true,
      send: setRequestHeaders(CREATE, { "content-type": "application/json" }),
    },
  }),
  ...mutantsOf("5-1", {
    "one-spelling": {
      wrongBehaviour: "the key header is case-sensitive",
      send: rewriteRequest(EXPORTS, (request) =>
        "X-Api-Key" in request.headers
          ? { ...request, headers: without(request.headers, "X-Api-Key") as never }
          : request,
      ),
    },
  }),
  ...mutantsOf("5-7", {
    "no-key-needed": {
      wrongBehaviour: "a key is not required",
      send: rewriteRequest(EXPORTS, (request) => ({
        ...request,
        headers: { "x-api-key": "any", ...request.headers },
      })),
    },
    "no-tenant-needed": {
      wrongBehaviour: "X-Tenant-Id is not required",
      send: rewriteRequest(EXPORTS, (request) => ({
        ...request,
        headers: { "x-tenant-id": "00000000-0000-4000-8000-000000000001", ...request.headers },
      })),
    },
  }),
  ...mutantsOf("5-3", {
    "one-workspace": {
      wrongBehaviour: "all keys share one workspace",
      send: setRequestHeaders(EXPORTS, { "x-tenant-id": "00000000-0000-4000-8000-000000000001" }),
    },
  }),
  ...mutantsOf("5-6", {
    "tenant-needed": {
      wrongBehaviour: "ingest requires X-Tenant-Id",
      send: answerInstead(({ path, headers }) => INGEST[1].test(path) && !headers["x-tenant-id"], 422, {
        detail: "X-Tenant-Id",
      }),
    },
  }),
  ...mutantsOf("7-1", {
    "other-body": {
      wrongBehaviour: "errors have the member error instead of detail",
      send: rewriteReply(EXPORTS, (reply) =>
        reply.status >= 400 ? { ...reply, text: reply.text.replace('"detail"', '"error"') } : reply,
      ),
    },
    "bad-request": {
      wrongBehaviour: "an unknown id is answered with 400",
      send: rewriteStatus(EXPORTS, [404], 400),
    },
  }),
  ...mutantsOf("7.2-1", {
    "bucket-unnamed": {
      wrongBehaviour: "a missing bucket is reported without its error name",
      send: rewriteErrorDetail("Bucket is not valid", "Validation failed"),
    },
    "key-unnamed": {
      wrongBehaviour: "an unknown key is reported as Access denied",
      send: rewriteErrorDetail("Key ID you provided", "Access denied"),
    },
    "endpoint-unnamed": {
      wrongBehaviour: "a wrong endpoint is reported without its error name",
      send: rewriteErrorDetail("Invalid endpoint", "Validation failed"),
    },
    "endpoint-for-all": {
      wrongBehaviour: "every error of a store is reported as an invalid endpoint",
      send: rewriteErrorDetail("EntityTooLarge", "Invalid endpoint"),
    },
    "denied-unnamed": {
      wrongBehaviour: "a denied put is reported without its error name",
      send: rewriteErrorDetail("Access denied", "Forbidden"),
    },
  }),
  ...mutantsOf("7.2-2", {
    "key-instead": {
      wrongBehaviour: "a wrong secret is reported as an unknown key",
      send: rewriteErrorDetail("Access denied", "Key ID you provided does not exist"),
    },
  }),
];
