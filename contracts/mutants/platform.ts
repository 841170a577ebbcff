import type { Members } from "../contract.ts";
import { HOUR, instantOf, iso, SECOND } from "../instant.ts";
import type { Send, WireReply, WireRequest } from "../target.ts";
import {
  answers,
  asks,
  isMembers,
  jsonOf,
  lies,
  lists,
  type Mutant,
  sends,
  status,
  tells,
  without,
} from "./mutant.ts";

const CREATE = ["POST", /^\/api\/v1\/bulk-exports$/] as const;
const LIST = ["GET", /^\/api\/v1\/bulk-exports(\?|$)/] as const;
const READ = ["GET", /^\/api\/v1\/bulk-exports\/[0-9a-f-]{36}$/] as const;
const STOP = ["PATCH", /^\/api\/v1\/bulk-exports\//] as const;
const RUNS = ["GET", /\/bulk-exports\/[^/]+\/runs$/] as const;
const EXPORTS = ["*", /^\/api\/v1\/bulk-exports/] as const;
const DESTINATION = ["POST", /\/destinations$/] as const;
const INGEST = ["POST", /^\/runs\/batch$/] as const;
const ADVANCE = ["POST", /\/clock\/advance$/] as const;

type Wrap = (next: Send) => Send;

const JSON_TYPE = { "content-type": "application/json" };

const exportsTell =
  (change: (body: Members, request: WireRequest) => unknown): Wrap =>
  (next) =>
    tells(READ, change)(tells(LIST, change)(tells(CREATE, change)(next)));

const statusTold = (from: string, to: string): Wrap => {
  const change = (body: Members) => (body.status === from ? { ...body, status: to } : body);
  // The wait for a status is asked of the same liar.
  const wait = tells(ADVANCE, (body) =>
    String(body.why).includes(` is ${from}`) ? { ...body, reached: false } : body,
  );
  return (next) => wait(exportsTell(change)(tells(RUNS, change)(next)));
};

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

/** A success that nobody has worked for. */
const pretends = (route: Parameters<typeof answers>[0], when: (request: WireRequest) => boolean): Wrap =>
  answers(route, (reply, request) => (reply.status >= 400 && when(request) ? madeUp(reply) : reply));

const madeUp = (reply: WireReply): WireReply => ({
  ...reply,
  status: 200,
  text: '{"id":"00000000-0000-4000-8000-0000000000aa","status":"CREATED"}',
});

const bodyHas =
  (text: string) =>
  ({ body = "" }: WireRequest) =>
    body.includes(text);
const filled = (member: string, value: unknown): Wrap =>
  sends(CREATE, (body) => (member in body ? body : { ...body, [member]: value }));
const when = (condition: (body: Members) => boolean, change: (body: Members) => unknown): Wrap =>
  sends(CREATE, (body) => (condition(body) ? change(body) : body));

/** Once an export is cancelled, what else becomes of it. */
function afterCancel(change: (body: Members) => Members): Wrap {
  return (next) => {
    const cancelled = new Set<string>();
    const told = tells(READ, (body) => (cancelled.has(String(body.id)) ? change(body) : body))(next);
    return (request) => {
      if (request.method === "PATCH") cancelled.add(request.path.split("/").at(-1) ?? "");
      return told(request);
    };
  };
}

/** Cancels the children of a schedule with it. */
const cancelsChildren: Wrap = (next) => async (request) => {
  const reply = await next(request);
  if (request.method !== "PATCH" || reply.status !== 200) return reply;
  const id = request.path.split("/").at(-1);
  const { body: _, ...rest } = request;
  const list = jsonOf(
    (await next({ ...rest, method: "GET", path: "/api/v1/bulk-exports" })).text,
  ) as readonly Members[];
  for (const child of list.filter(({ source_bulk_export_id }) => source_bulk_export_id === id))
    await next({ ...request, path: `/api/v1/bulk-exports/${String(child.id)}` });
  return reply;
};

/** Says that it cancels, and does not. */
const onlySays: Wrap = (next) => async (request) => {
  if (request.method !== "PATCH") return next(request);
  const { body: _, ...rest } = request;
  const reply = await next({ ...rest, method: "GET" });
  const body = jsonOf(reply.text);
  return { ...reply, text: JSON.stringify({ ...(isMembers(body) ? body : {}), status: "CANCELLED" }) };
};

const spawned = (change: (body: Members) => Members): Wrap =>
  exportsTell((body) => (body.source_bulk_export_id ? change(body) : body));

const later = (time: unknown, by: number) => iso(instantOf(time) + by);

/** §1, §2.4 to §2.6, §3, §4.2 to §4.7, §5 and §7. */
export const PLATFORM_MUTANTS: readonly Mutant[] = [
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
      lie: "sizes are not verified",
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
  ...lies("2.5-1", {
    "any-project": { lie: "session_id may be any text", send: pretends(CREATE, bodyHas("my-project")) },
    "offset-times": {
      lie: "times are answered in another zone",
      send: exportsTell((body) => ({
        ...body,
        start_time: `${iso(instantOf(body.start_time) + 2 * HOUR).slice(0, 19)}+02:00`,
      })),
    },
    "any-destination": { lie: "an unknown destination is taken", send: pretends(CREATE, () => true) },
  }),
  ...lies("2.5-2", {
    "end-ignored": {
      lie: "end_time of a schedule is passed over",
      send: when(
        (body) => "interval_hours" in body,
        (body) => without(body, "end_time"),
      ),
    },
    "end-filled": {
      lie: "a one-off export may go without end_time",
      send: filled("end_time", "2026-03-01T00:00:00Z"),
    },
  }),
  ...lies("2.5-3", {
    "169": {
      lie: "169 hours are taken",
      send: when(
        (body) => body.interval_hours === 169,
        (body) => ({ ...body, interval_hours: 168 }),
      ),
    },
    "0": {
      lie: "0 hours are taken",
      send: when(
        (body) => body.interval_hours === 0,
        (body) => ({ ...body, interval_hours: 1 }),
      ),
    },
    "1.5": {
      lie: "1.5 hours are taken",
      send: when(
        (body) => body.interval_hours === 1.5,
        (body) => ({ ...body, interval_hours: 1 }),
      ),
    },
    text: {
      lie: "a text is taken",
      send: when(
        (body) => body.interval_hours === "6",
        (body) => ({ ...body, interval_hours: 6 }),
      ),
    },
    "167": {
      lie: "168 hours are refused",
      send: when(
        (body) => body.interval_hours === 168,
        (body) => ({ ...body, interval_hours: 169 }),
      ),
    },
  }),
  ...lies("2.5-4", {
    ignored: {
      lie: "the filter is ignored",
      send: when(
        (body) => "filter" in body,
        (body) => without(body, "filter"),
      ),
    },
    "like-as-eq": {
      lie: "like is eq",
      send: when(
        (body) => "filter" in body,
        (body) => ({ ...body, filter: String(body.filter).replaceAll("like(", "eq(") }),
      ),
    },
    "and-as-or": {
      lie: "and is or",
      send: when(
        (body) => "filter" in body,
        (body) => ({ ...body, filter: String(body.filter).replaceAll("and(", "or(") }),
      ),
    },
  }),
  ...lies("2.5-5", {
    ignored: {
      lie: "export_fields is ignored",
      send: sends(CREATE, (body) => without(body, "export_fields")),
    },
    "unknown-passes": {
      lie: "an unknown column is passed over",
      send: when(
        (body) => String(body.export_fields).includes("nonsense"),
        (body) => ({ ...body, export_fields: ["id"] }),
      ),
    },
    "not-scheduled": {
      lie: "a schedule takes no export_fields",
      send: when(
        (body) => "interval_hours" in body && "export_fields" in body,
        (body) => ({ ...body, export_fields: "no" }),
      ),
    },
  }),
  ...lies("2.5-6", {
    ignored: {
      lie: "v2_beta is written as v1",
      send: when(
        (body) => body.format_version === "v2_beta",
        (body) => ({ ...body, format_version: "v1" }),
      ),
    },
    "any-format": {
      lie: "any format is taken",
      send: when(
        (body) => body.format_version === "v9",
        (body) => ({ ...body, format_version: "v1" }),
      ),
    },
  }),
  ...lies("2.5-7", {
    "no-source": {
      lie: "a spawned export names no source",
      send: spawned((body) => ({ ...body, source_bulk_export_id: null })),
    },
    "no-status": { lie: "an export has no status", send: tells(CREATE, (body) => without(body, "status")) },
  }),
  ...lies("2.5-10", {
    taken: {
      lie: "a malformed filter is taken",
      send: pretends(CREATE, bodyHas("filter")),
    },
  }),
  ...lies("2.6-1", {
    "one-run": {
      lie: "there is one run for the whole window",
      send: lists(RUNS, (runs) => runs.slice(0, 1)),
    },
    twice: { lie: "there are two runs for each day", send: lists(RUNS, (runs) => [...runs, ...runs]) },
  }),
  ...lies("2.6-2", {
    "no-errors": { lie: "a run has no errors member", send: tells(RUNS, (run) => without(run, "errors")) },
    "no-creation": {
      lie: "a run has no creation time",
      send: tells(RUNS, (run) => without(run, "created_at")),
    },
    "one-row-more": {
      lie: "a run counts a row too many",
      send: tells(RUNS, (run) => ({ ...run, rows_exported: Number(run.rows_exported) + 1 })),
    },
    "no-files": {
      lie: "no files are told",
      send: tells(RUNS, (run) => ({ ...run, metadata: { ...(run.metadata as Members), files: [] } })),
    },
    "no-cursor": {
      lie: "no cursor is told",
      send: tells(RUNS, (run) => ({
        ...run,
        metadata: { ...(run.metadata as Members), latest_cursor: null },
      })),
    },
  }),
  ...lies("2.7-2", {
    "not-tenant": {
      lie: "tenant_id cannot be chosen",
      send: when(
        (body) => Array.isArray(body.export_fields),
        (body) => ({
          ...body,
          export_fields: (body.export_fields as readonly string[]).filter((name) => name !== "tenant_id"),
        }),
      ),
    },
  }),
  ...lies("2.7-3", {
    ignored: {
      lie: "inputs and outputs are always written",
      send: sends(CREATE, (body) => without(body, "export_fields")),
    },
  }),
  ...lies("3.1-1", { done: { lie: "a completed export is DONE", send: statusTold("COMPLETED", "DONE") } }),
  ...lies("3.1-2", { ignored: { lie: "an export is not cancelled", send: onlySays } }),
  ...lies("3.1-3", {
    restarted: {
      lie: "a cancelled export goes on",
      send: afterCancel((body) => ({ ...body, status: "RUNNING" })),
    },
  }),
  ...lies("3.1-4", {
    "children-too": { lie: "what a schedule spawned is cancelled with it", send: cancelsChildren },
    "goes-on": {
      lie: "a cancelled schedule spawns on",
      send: (next) => afterCancel((body) => ({ ...body, status: "CANCELLED" }))(onlySays(next)),
    },
  }),
  ...lies("3.1-5", {
    hidden: { lie: "a failed export is COMPLETED", send: statusTold("FAILED", "COMPLETED") },
  }),
  ...lies("3.1-6", {
    early: {
      lie: "an export is COMPLETED with its first run",
      send: tells(READ, (body) => (body.status === "RUNNING" ? { ...body, status: "COMPLETED" } : body)),
    },
    never: { lie: "an export stays RUNNING", send: statusTold("COMPLETED", "RUNNING") },
  }),
  ...lies("3.1-7", {
    failed: { lie: "an export over its time is FAILED", send: statusTold("TIMEDOUT", "FAILED") },
  }),
  ...lies("3.1-8", {
    "final-too": { lie: "a final export can be cancelled", send: status(STOP, [409], 200, { id: "x" }) },
  }),
  ...lies("3.1-9", {
    "left-open": {
      lie: "sibling runs stay RUNNING",
      send: tells(RUNS, (run) => ({ ...run, status: "RUNNING" })),
    },
  }),
  ...lies("3.3-1", {
    "hour-late": {
      lie: "the first window begins an hour late",
      send: spawned((body) => ({ ...body, start_time: later(body.start_time, HOUR) })),
    },
  }),
  ...lies("3.3-2", {
    gap: {
      lie: "windows leave a second out",
      send: spawned((body) => ({ ...body, start_time: later(body.start_time, SECOND) })),
    },
    "from-now": {
      lie: "windows are counted from now",
      send: spawned((body) => ({ ...body, start_time: later(body.created_at, -6 * HOUR) })),
    },
  }),
  ...lies("3.3-4", {
    "seven-hours": {
      lie: "six hours are seven",
      send: when(
        (body) => body.interval_hours === 6,
        (body) => ({ ...body, interval_hours: 7 }),
      ),
    },
  }),
  ...lies("3.3-5", {
    "late-lost": {
      lie: "late rows are lost",
      send: (next) => {
        let batches = 0;
        return async (request) => {
          if (request.method !== "POST" || !INGEST[1].test(request.path) || ++batches !== 2)
            return next(request);
          return { status: 202, headers: JSON_TYPE, text: "{}" };
        };
      },
    },
  }),
  ...lies("3.3-6", {
    "from-now": {
      lie: "windows of the past are left out",
      send: when(
        (body) => "interval_hours" in body,
        (body) => ({ ...body, start_time: "2026-03-02T00:00:00Z" }),
      ),
    },
  }),
  ...lies("3.3-7", {
    created: {
      lie: "a schedule is always CREATED",
      send: exportsTell((body) => (body.interval_hours ? { ...body, status: "CREATED" } : body)),
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
  ...lies("4.2-1", {
    renamed: {
      lie: "the id is called destination_id",
      send: tells(DESTINATION, (body) => ({ ...without(body, "id"), destination_id: body.id })),
    },
  }),
  ...lies("4.3-1", {
    "no-id": { lie: "a new export has no id", send: tells(CREATE, (body) => without(body, "id")) },
  }),
  ...lies("4.4-1", {
    stale: {
      lie: "an export is read as it was created",
      send: tells(READ, (body) => ({ ...body, status: "CREATED" })),
    },
  }),
  ...lies("4.5-1", { empty: { lie: "an export has no runs", send: lists(RUNS, () => []) } }),
  ...lies("4.6-1", {
    "ten-only": { lie: "ten exports are listed", send: lists(LIST, (all) => all.slice(0, 10)) },
    "no-creation": {
      lie: "the list leaves out created_at",
      send: tells(LIST, (body) => without(body, "created_at")),
    },
    "no-status": {
      lie: "the list leaves out the status",
      send: tells(LIST, (body) => without(body, "status")),
    },
  }),
  ...lies("4.7-1", {
    "not-allowed": { lie: "PATCH is not allowed", send: status(STOP, [200], 405, { detail: "PATCH" }) },
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
  ...lies("7.3-3", {
    "tried-again": { lie: "an export over its time goes on", send: statusTold("TIMEDOUT", "RUNNING") },
  }),
  ...lies("7.3-4", {
    "tried-again": {
      lie: "an error of the store is tried again",
      send: tells(RUNS, (run) => ({ ...run, errors: { ...(run.errors as Members), retry_1: "Storage" } })),
    },
  }),
  ...lies("7.3-5", {
    "tried-again": { lie: "a deleted destination is waited for", send: statusTold("FAILED", "RUNNING") },
  }),
  ...lies("7.3-7", {
    "other-keys": {
      lie: "errors stand under attempt_<n>",
      send: tells(RUNS, (run) => ({ ...run, errors: renamed(run.errors, "attempt_") })),
    },
    none: { lie: "errors are not told", send: tells(RUNS, (run) => ({ ...run, errors: {} })) },
  }),
];

function renamed(errors: unknown, prefix: string): Members {
  return Object.fromEntries(
    Object.entries(isMembers(errors) ? errors : {}).map(([key, text]) => [
      key.replace("retry_", prefix),
      text,
    ]),
  );
}
