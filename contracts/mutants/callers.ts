import type { Members } from "../engine/contract.ts";
import { isMembers, jsonOf } from "../engine/json.ts";
import { answers, asks, lies, type Mutant, sends, status, tells, without } from "./mutant.ts";
import { CREATE, DESTINATION, EXPORTS, INGEST, JSON_TYPE, pretends, type Wrap } from "./routes.ts";

const config = (change: (config: Members) => Members): Wrap =>
  sends(DESTINATION, (body) => (isMembers(body.config) ? { ...body, config: change(body.config) } : body));

/** Refuses destinations of keys that lack a permission, which the liar has overheard. */
function needs(permission: string): Wrap {
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

const refusedTo = (name: string, to: unknown): Wrap =>
  answers(DESTINATION, (reply) =>
    reply.text.includes(name) ? { ...reply, text: JSON.stringify({ detail: to }) } : reply,
  );

/** §1, §2.4, §4, §5 and §7: regions, destinations, callers and errors. */
export const CALLER_MUTANTS: readonly Mutant[] = [
  ...lies("1-1", {
    "one-region": {
      lie: "the EU region does not answer",
      send: (next) => async (request) =>
        request.region === "eu"
          ? { status: 503, headers: JSON_TYPE, text: '{"detail":"no"}' }
          : next(request),
    },
  }),
  ...lies("1-2", {
    "wrong-region": {
      lie: "both addresses lead to one region",
      send: (next) => (request) => next({ ...request, region: "us" }),
    },
  }),
  ...lies("1-3", { "made-up": { lie: "any path succeeds", send: status(["*", /./], [404, 501], 200, {}) } }),
  ...lies("2.4-1", {
    "no-region-needed": {
      lie: "the region may be left out",
      send: config((given) => ({ region: "us-east-1", ...given })),
    },
    "no-name-needed": {
      lie: "display_name may be left out",
      send: sends(DESTINATION, (body) => ({ display_name: "x", ...body })),
    },
    "no-prefix-needed": {
      lie: "prefix may be left out",
      send: config((given) => ({ prefix: "", ...given })),
    },
    "any-type": {
      lie: "destination_type may be anything",
      send: sends(DESTINATION, (body) => ({ ...body, destination_type: "s3" })),
    },
  }),
  ...lies("2.4-2", {
    echoed: {
      lie: "credentials are echoed",
      send: (next) => async (request) => {
        const reply = await next(request);
        const [asked, said] = [jsonOf(request.body), jsonOf(reply.text)];
        if (!DESTINATION[1].test(request.path) || !isMembers(asked) || !isMembers(said)) return reply;
        return { ...reply, text: JSON.stringify({ ...said, credentials: asked.credentials }) };
      },
    },
  }),
  ...lies("2.4-7", { pretended: { lie: "nobody needs to put", send: pretends(DESTINATION, () => true) } }),
  ...lies("2.4-8", { needed: { lie: "deleting is needed", send: needs("delete") } }),
  ...lies("2.4-9", {
    needed: { lie: "getting is needed", send: needs("get") },
    unread: {
      lie: "sizes are not looked up",
      send: tells(["GET", /\/faults\//], (rule) => ({ ...rule, hits: 0 })),
    },
  }),
  ...lies("2.4-11", {
    refused: {
      lie: "endpoint_url is refused",
      send: config((given) => (given.endpoint_url ? { ...given, bucket_name: "" } : given)),
    },
  }),
  ...lies("2.4-12", {
    "endpoint-needed": {
      lie: "endpoint_url is needed",
      send: (next) => async (request) => {
        const wanting =
          request.method === "POST" &&
          DESTINATION[1].test(request.path) &&
          !request.body?.includes("endpoint_url");
        return wanting
          ? { status: 422, headers: JSON_TYPE, text: '{"detail":"endpoint_url"}' }
          : next(request);
      },
    },
  }),
  ...lies("2.4-13", {
    ignored: {
      lie: "the flag is ignored",
      send: config((given) => without(given, "include_bucket_in_prefix")),
    },
  }),
  ...lies("4-1", {
    "any-type": {
      lie: "any content type is taken",
      send: asks(CREATE, (request) => ({
        ...request,
        headers: { ...request.headers, "content-type": "application/json" },
      })),
    },
  }),
  ...lies("5-1", {
    "one-spelling": {
      lie: "the header has one spelling",
      send: asks(EXPORTS, (request) =>
        "X-Api-Key" in request.headers
          ? { ...request, headers: without(request.headers, "X-Api-Key") as never }
          : request,
      ),
    },
    "no-key-needed": {
      lie: "no key is needed",
      send: asks(EXPORTS, (request) => ({ ...request, headers: { "x-api-key": "any", ...request.headers } })),
    },
    "no-tenant-needed": {
      lie: "no workspace is needed",
      send: asks(EXPORTS, (request) => ({
        ...request,
        headers: { "x-tenant-id": "00000000-0000-4000-8000-000000000001", ...request.headers },
      })),
    },
  }),
  ...lies("5-3", {
    "one-workspace": {
      lie: "there is one workspace",
      send: asks(EXPORTS, (request) => ({
        ...request,
        headers: { ...request.headers, "x-tenant-id": "00000000-0000-4000-8000-000000000001" },
      })),
    },
  }),
  ...lies("5-6", {
    "tenant-needed": {
      lie: "ingest needs X-Tenant-Id",
      send: (next) => async (request) =>
        INGEST[1].test(request.path) && !request.headers["x-tenant-id"]
          ? { status: 422, headers: JSON_TYPE, text: '{"detail":"X-Tenant-Id"}' }
          : next(request),
    },
  }),
  ...lies("7-1", {
    "other-body": {
      lie: "errors have the member error",
      send: answers(EXPORTS, (reply) =>
        reply.status >= 400 ? { ...reply, text: reply.text.replace('"detail"', '"error"') } : reply,
      ),
    },
    "bad-request": { lie: "an unknown id is 400", send: status(EXPORTS, [404], 400) },
  }),
  ...lies("7.2-1", {
    "bucket-unnamed": {
      lie: "a missing bucket has no name",
      send: refusedTo("Bucket is not valid", "Validation failed"),
    },
    "key-unnamed": {
      lie: "an unknown key is Access denied",
      send: refusedTo("Key ID you provided", "Access denied"),
    },
    "endpoint-unnamed": {
      lie: "a wrong endpoint has no name",
      send: refusedTo("Invalid endpoint", "Validation failed"),
    },
    "denied-unnamed": { lie: "a denied put has no name", send: refusedTo("Access denied", "Forbidden") },
  }),
  ...lies("7.2-2", {
    "key-instead": {
      lie: "a wrong secret is an unknown key",
      send: refusedTo("Access denied", "Key ID you provided does not exist"),
    },
  }),
];
