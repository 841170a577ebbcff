import type { WireRequest } from "../../../contracts/engine/http-message.ts";
import { jsonOf, type Members } from "../../../contracts/engine/json.ts";
import { differences, mistakes, type Row, type SendWrapper } from "../row.ts";
import {
  answerInstead,
  rewriteList,
  rewritePath,
  rewriteQuery,
  rewriteReply,
  rewriteReplyBody,
  rewriteRequestBody,
  rewriteStatus,
  rewriteText,
  setReplyMembers,
  setRequestMembers,
  without,
} from "../wire.ts";

export const LIST = ["GET", /^\/threads\/[^/]+\/runs(\?|$)/] as const;
export const START = ["POST", /^\/threads?\/[^/]+\/runs$/] as const;
export const THREADS = ["POST", /^\/threads$/] as const;
export const THREAD = ["GET", /^\/threads\/[^/?]+$/] as const;
const AGENT = ["*", /^\/threads?\//] as const;
export const STREAM = ["POST", /\/runs\/stream$/] as const;
export const WAIT = ["POST", /\/runs\/wait$/] as const;
const CRONS = ["POST", /\/runs\/crons$/] as const;

const has = ({ path }: WireRequest, text: string) => path.includes(text);
const shift = (name: string, by: number) =>
  rewriteQuery(LIST, (query) => {
    const value = query.get(name);
    if (value !== null && /^\d+$/.test(value)) query.set(name, String(Number(value) + by));
  });
const drop = (name: string, only?: string) =>
  rewriteQuery(LIST, (query) => {
    if (only === undefined || query.get(name) === only) query.delete(name);
  });
const dropWith = (other: string, name: string) =>
  rewriteQuery(LIST, (query) => {
    if (query.has(other)) query.delete(name);
  });
const rewriteRun =
  (change: (run: Members) => unknown): SendWrapper =>
  (next) =>
    rewriteReplyBody(START, change)(rewriteReplyBody(LIST, change)(next));

/** §2.1 to §2.3, §3.2, §4.1 and §4.8. */
export const AGENT_MISTAKES: readonly Row[] = [
  ...mistakes({
    "2.1-1: run_id is not a UUID": setReplyMembers(START, { run_id: "7" }),
    "2.1-1: thread_id is an unknown id": setReplyMembers(START, {
      thread_id: "00000000-0000-4000-8000-00000000dead",
    }),
    "2.1/listed-fields: the kwargs of listed runs are empty": setReplyMembers(LIST, { kwargs: {} }),
    "2.1/updated-at: updated_at is the creation time": rewriteRun((run) => ({
      ...run,
      updated_at: run.created_at,
    })),
    "4.1/pairs: select is ignored with a status": dropWith("status", "select"),
    "4.1/pairs: select is ignored with an offset": dropWith("offset", "select"),
    "4.1/pairs: the offset is ignored with a status": dropWith("status", "offset"),
    "2.1-4: the status filter accepts any word": drop("status", "nonsense"),
    "2.2-2: a thread is always idle": setReplyMembers(THREAD, { status: "idle" }),
    "2.3-1: an error is an object": rewriteReply(AGENT, (reply) =>
      reply.status >= 400 ? { ...reply, text: JSON.stringify({ detail: jsonOf(reply.text) }) } : reply,
    ),
    "3.2-1: a created thread is busy": setReplyMembers(THREADS, { status: "busy" }),
    "3.2-2: a run can take three hours": { settings: { limits: { agent_run_timeout: "PT3H" } } },
    "3.2-2: runs of a thread are executed at the same time": rewriteReplyBody(LIST, (run) =>
      run.status === "pending" ? { ...run, status: "running" } : run,
    ),
    "4.1-1: a page has one run more than its limit": shift("limit", 1),
    "4.1-1: the offset is too large by one": shift("offset", 1),
    "4.1-1: the second page is empty": rewriteList(LIST, (runs, request) =>
      has(request, "offset=3") ? [] : runs,
    ),
    "4.1-1: a partly filled page is empty": rewriteList(LIST, (runs, request) =>
      has(request, "limit=3") && runs.length < 3 ? [] : runs,
    ),
    "4.1-2: only the first selected field is returned": rewriteQuery(LIST, (query) => {
      const [first] = query.getAll("select");
      if (first !== undefined) query.set("select", first);
    }),
    "4.1-2: an unknown name is ignored": drop("select", "nonsense"),
    "4.1-2: run_id is always returned": rewriteReplyBody(LIST, (run) => ({
      run_id: "00000000-0000-4000-8000-000000000000",
      ...run,
    })),
    "4.1-4: a page can have 1001 runs": rewriteQuery(LIST, (query) => {
      if (query.get("limit") === "1001") query.set("limit", "1000");
    }),
    "7.1-1: the message is empty": rewriteReply(LIST, (reply) =>
      reply.status >= 400 ? { ...reply, text: '""' } : reply,
    ),
    "7.1-1: the error of a missing thread is a list": rewriteReply(LIST, (reply) =>
      reply.status === 404 ? { ...reply, text: '["not found"]' } : reply,
    ),
    "4.8-1: the singular paths do not exist": rewriteStatus(["POST", /^\/thread\//], [200], 404, "no"),
    "4.8-1: crons refuse a webhook": rewriteStatus(["POST", /^\/runs\/crons$/], [200], 422, "webhook"),
    "4.8-2: nothing is streamed": rewriteReply(STREAM, (reply) =>
      reply.status === 200 ? { ...reply, text: ": quiet\n\n" } : reply,
    ),
    "4.8-3: an empty object does not create a thread": rewriteStatus(THREADS, [200], 422, "thread_id"),
    "4.8-4: wait replies before the end of the run": rewriteText(WAIT, (_text) => "{}"),
    "4.8-4: every cron fires hourly": setRequestMembers(CRONS, { schedule: "0 * * * *" }),
    "5-5: the agent server requires a key": answerInstead(({ headers }) => !headers["x-api-key"], 401, "key"),
    "9-1: the OpenAPI document has version 0.2.0": rewriteText(["GET", /^\/openapi\.json$/], (text) =>
      text.replace('"version":"0.1.0"', '"version":"0.2.0"'),
    ),
  }),
  ...differences({
    "2.1-3: an undocumented strategy is accepted": rewriteRequestBody(START, (body) =>
      body.multitask_strategy === "nonsense" ? without(body, "multitask_strategy") : body,
    ),
    "4.1-3: a validation error of the list of runs is answered with 400": rewriteStatus(LIST, [422], 400),
    "4.1-3: a missing thread has no runs": rewriteStatus(LIST, [404], 200, []),
    "4.8-2: any stream_mode is accepted": rewriteRequestBody(STREAM, (body) =>
      body.stream_mode === "nonsense" ? without(body, "stream_mode") : body,
    ),
    "9-1: paths without the prefix exist": rewritePath(
      ["GET", /^\/bulk-exports$/],
      (path) => `/api/v1${path}`,
    ),
  }),
];
