import type { WireRequest } from "../engine/http-message.ts";
import { isMembers, jsonOf, type Members } from "../engine/json.ts";
import {
  answerInstead,
  dropReplyMembers,
  dropRequestMembers,
  type Mutant,
  mutantsOf,
  rewriteList,
  rewriteQuery,
  rewriteReply,
  rewriteReplyBody,
  rewriteRequest,
  rewriteRequestBody,
  rewriteStatus,
  type SendWrapper,
  setReplyMembers,
  setRequestMembers,
  without,
} from "../engine/mutant.ts";

export const LIST = ["GET", /^\/threads\/[^/]+\/runs(\?|$)/] as const;
export const START = ["POST", /^\/threads?\/[^/]+\/runs$/] as const;
export const THREADS = ["POST", /^\/threads$/] as const;
export const THREAD = ["GET", /^\/threads\/[^/?]+$/] as const;
const AGENT = ["*", /^\/threads?\//] as const;
const SEARCH = ["POST", /^\/assistants\/search$/] as const;
export const STREAM = ["POST", /\/runs\/stream$/] as const;
export const WAIT = ["POST", /\/runs\/wait$/] as const;
const CRONS = ["POST", /\/runs\/crons$/] as const;

const memberOf = (text: string | undefined, name: string) => {
  const body = jsonOf(text);
  return isMembers(body) ? body[name] : undefined;
};
const has = ({ path }: WireRequest, text: string) => path.includes(text);
const shift = (name: string, by: number) =>
  rewriteQuery(LIST, (query) => {
    const value = query.get(name);
    if (value !== null && /^\d+$/.test(value)) query.set(name, String(Number(value) + by));
  });
const withDefault = (name: string, value: string) =>
  rewriteQuery(LIST, (query) => {
    if (!query.has(name)) query.set(name, value);
  });
const drop = (name: string, only?: string) =>
  rewriteQuery(LIST, (query) => {
    if (only === undefined || query.get(name) === only) query.delete(name);
  });
const rewriteRun =
  (change: (run: Members) => unknown): SendWrapper =>
  (next) =>
    rewriteReplyBody(START, change)(rewriteReplyBody(LIST, change)(next));

/** §2.1 to §2.3, §3.2, §4.1 and §4.8. */
export const AGENT_MUTANTS: readonly Mutant[] = [
  ...mutantsOf("2.1-1", {
    "no-kwargs": { wrongBehaviour: "a run has no kwargs", send: rewriteRun((run) => without(run, "kwargs")) },
    "no-metadata": {
      wrongBehaviour: "a run has no metadata",
      send: rewriteRun((run) => without(run, "metadata")),
    },
    "short-id": { wrongBehaviour: "run_id is not a UUID", send: setReplyMembers(START, { run_id: "7" }) },
    "time-as-number": {
      wrongBehaviour: "created_at is a number",
      send: setReplyMembers(START, { created_at: 7 }),
    },
    "other-thread": {
      wrongBehaviour: "thread_id is an unknown id",
      send: setReplyMembers(START, { thread_id: "00000000-0000-4000-8000-00000000dead" }),
    },
  }),
  ...mutantsOf("2.1-2", {
    done: {
      wrongBehaviour: "the final status of a run is done",
      send: rewriteReplyBody(LIST, (run) => ("status" in run ? { ...run, status: "done" } : run)),
    },
  }),
  ...mutantsOf("2.1-3", {
    queue: {
      wrongBehaviour: "the strategy enqueue is named queue",
      send: setReplyMembers(START, { multitask_strategy: "queue" }),
    },
    "any-word": {
      wrongBehaviour: "an undocumented strategy is accepted",
      mild: true,
      send: rewriteRequestBody(START, (body) =>
        body.multitask_strategy === "nonsense" ? without(body, "multitask_strategy") : body,
      ),
    },
  }),
  ...mutantsOf("2.1-4", {
    ignored: { wrongBehaviour: "the status filter is ignored", send: drop("status") },
    running: { wrongBehaviour: "the status filter accepts running", send: drop("status", "running") },
    "any-status": { wrongBehaviour: "the status filter accepts any word", send: drop("status", "nonsense") },
  }),
  ...mutantsOf("2.2-1", {
    "no-config": { wrongBehaviour: "a thread has no config", send: dropReplyMembers(THREADS, "config") },
    "no-values": { wrongBehaviour: "a thread has no values", send: dropReplyMembers(THREADS, "values") },
  }),
  ...mutantsOf("2.2-2", {
    "always-idle": {
      wrongBehaviour: "a thread is always idle",
      send: setReplyMembers(THREAD, { status: "idle" }),
    },
  }),
  ...mutantsOf("2.3-1", {
    "as-object": {
      wrongBehaviour: "an error is an object",
      send: rewriteReply(AGENT, (reply) =>
        reply.status >= 400 ? { ...reply, text: JSON.stringify({ detail: jsonOf(reply.text) }) } : reply,
      ),
    },
  }),
  ...mutantsOf("3.2-1", {
    busy: { wrongBehaviour: "a created thread is busy", send: setReplyMembers(THREADS, { status: "busy" }) },
  }),
  ...mutantsOf("3.2-2", {
    "three-hours": {
      wrongBehaviour: "a run can take three hours",
      settings: { limits: { agent_run_timeout: "PT3H" } },
    },
    together: {
      wrongBehaviour: "runs of a thread are executed at the same time",
      send: rewriteReplyBody(LIST, (run) => (run.status === "pending" ? { ...run, status: "running" } : run)),
    },
  }),
  ...mutantsOf("4.1-1", {
    "limit-11": { wrongBehaviour: "the default limit is 11", send: withDefault("limit", "11") },
    "limit-9": { wrongBehaviour: "the default limit is 9", send: withDefault("limit", "9") },
    "offset-1": { wrongBehaviour: "the default offset is 1", send: withDefault("offset", "1") },
    "one-more": { wrongBehaviour: "a page has one run more than its limit", send: shift("limit", 1) },
    "offset-ignored": { wrongBehaviour: "the offset is ignored", send: drop("offset") },
    "offset-off": { wrongBehaviour: "the offset is too large by one", send: shift("offset", 1) },
    "empty-second-page": {
      wrongBehaviour: "the second page is empty",
      send: rewriteList(LIST, (runs, request) => (has(request, "offset=3") ? [] : runs)),
    },
    "last-page-lost": {
      wrongBehaviour: "a partly filled page is empty",
      send: rewriteList(LIST, (runs, request) => (has(request, "limit=3") && runs.length < 3 ? [] : runs)),
    },
  }),
  ...mutantsOf("4.1-2", {
    ignored: { wrongBehaviour: "select is ignored", send: drop("select") },
    "first-only": {
      wrongBehaviour: "only the first selected field is returned",
      send: rewriteQuery(LIST, (query) => {
        const [first] = query.getAll("select");
        if (first !== undefined) query.set("select", first);
      }),
    },
    "unknown-passes": { wrongBehaviour: "an unknown name is ignored", send: drop("select", "nonsense") },
    "id-always": {
      wrongBehaviour: "run_id is always returned",
      send: rewriteReplyBody(LIST, (run) => ({ run_id: "00000000-0000-4000-8000-000000000000", ...run })),
    },
  }),
  ...mutantsOf("4.1-3", {
    "bad-request": {
      wrongBehaviour: "a validation error of the list of runs is answered with 400",
      mild: true,
      send: rewriteStatus(LIST, [422], 400),
    },
    "empty-list": {
      wrongBehaviour: "a missing thread has no runs",
      mild: true,
      send: rewriteStatus(LIST, [404], 200, []),
    },
  }),
  ...mutantsOf("4.1-4", {
    "oldest-first": {
      wrongBehaviour: "the oldest run is first",
      settings: { assumptions: { "agent.list_order": "oldest first" } },
    },
    unbounded: {
      wrongBehaviour: "a page can have 1001 runs",
      send: rewriteQuery(LIST, (query) => {
        if (query.get("limit") === "1001") query.set("limit", "1000");
      }),
    },
  }),
  ...mutantsOf("7.1-1", {
    silent: {
      wrongBehaviour: "the message is empty",
      send: rewriteReply(LIST, (reply) => (reply.status >= 400 ? { ...reply, text: '""' } : reply)),
    },
    "as-list": {
      wrongBehaviour: "the error of a missing thread is a list",
      send: rewriteReply(LIST, (reply) =>
        reply.status === 404 ? { ...reply, text: '["not found"]' } : reply,
      ),
    },
  }),
  ...mutantsOf("4.8-1", {
    "plural-only": {
      wrongBehaviour: "the singular paths do not exist",
      send: rewriteStatus(["POST", /^\/thread\//], [200], 404, "no"),
    },
    "no-crons": {
      wrongBehaviour: "crons refuse a webhook",
      send: rewriteStatus(["POST", /^\/runs\/crons$/], [200], 422, "webhook"),
    },
    "no-stateless-wait": {
      wrongBehaviour: "POST /runs/wait does not exist",
      send: rewriteStatus(["POST", /^\/runs\/wait$/], [200], 404, "no"),
    },
  }),
  ...mutantsOf("4.8-2", {
    "any-mode": {
      wrongBehaviour: "any stream_mode is accepted",
      mild: true,
      send: rewriteRequestBody(STREAM, (body) =>
        body.stream_mode === "nonsense" ? without(body, "stream_mode") : body,
      ),
    },
    "no-data": {
      wrongBehaviour: "nothing is streamed",
      send: rewriteReply(STREAM, (reply) =>
        reply.status === 200 ? { ...reply, text: ": quiet\n\n" } : reply,
      ),
    },
    "no-events": {
      wrongBehaviour: "stream_mode events is refused",
      send: answerInstead(({ body }) => memberOf(body, "stream_mode") === "events", 422, "stream_mode"),
    },
  }),
  ...mutantsOf("4.8-3", {
    "limit-ignored": {
      wrongBehaviour: "the limit of a search is ignored",
      send: dropRequestMembers(SEARCH, "limit"),
    },
    "offset-ignored": {
      wrongBehaviour: "the offset of a search is ignored",
      send: dropRequestMembers(SEARCH, "offset"),
    },
    "thread-needs-id": {
      wrongBehaviour: "an empty object does not create a thread",
      send: rewriteStatus(THREADS, [200], 422, "thread_id"),
    },
  }),
  ...mutantsOf("4.8-4", {
    "answers-at-once": {
      wrongBehaviour: "wait replies before the end of the run",
      send: rewriteReply(WAIT, (reply) => ({ ...reply, text: "{}" })),
    },
    hourly: {
      wrongBehaviour: "every cron fires hourly",
      send: setRequestMembers(CRONS, { schedule: "0 * * * *" }),
    },
  }),
  ...mutantsOf("5-5", {
    "key-needed": {
      wrongBehaviour: "the agent server requires a key",
      send: answerInstead(({ headers }) => !headers["x-api-key"], 401, "key"),
    },
  }),
  ...mutantsOf("9-1", {
    "no-prefix": {
      wrongBehaviour: "paths without the prefix exist",
      mild: true,
      send: rewriteRequest(["GET", /^\/bulk-exports$/], (r) => ({ ...r, path: `/api/v1${r.path}` })),
    },
    "description-0.2": {
      wrongBehaviour: "the OpenAPI document has version 0.2.0",
      send: rewriteReply(["GET", /^\/openapi\.json$/], (reply) => ({
        ...reply,
        text: reply.text.replace('"version":"0.1.0"', '"version":"0.2.0"'),
      })),
    },
  }),
];
