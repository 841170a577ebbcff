import { isMembers, jsonOf, type Members } from "../../../contracts/engine/json.ts";
import { rewriteEach, rewritePayload } from "../files.ts";
import { conforming, type Row, type SendWrapper } from "../row.ts";
import { LIST, START, STREAM, THREAD, THREADS, WAIT } from "../rows/agent.ts";
import {
  accept,
  answerInstead,
  combine,
  dropRequestMembers,
  renameMembers,
  rewriteList,
  rewriteQuery,
  rewriteReply,
  rewriteReplyBody,
  rewriteRequest,
  rewriteRequestBody,
  rewriteStatus,
  rewriteText,
  setReplyMembers,
  setRequestMembers,
  without,
} from "../wire.ts";
import { lowerCaseIds, lowerCaseTimes, upperCaseIds } from "./spelling.ts";

const AGENT = ["*", /^\/(threads?|assistants|runs\/(crons|stream|wait))\b/] as const;
const STARTS = ["POST", /\/runs(\/(stream|wait|crons))?$/] as const;
const CRONS = ["POST", /\/runs\/crons$/] as const;
const CRON_SEARCH = ["POST", /\/runs\/crons\/search$/] as const;
const ASSISTANTS = ["POST", /\/assistants\/search$/] as const;
const PLURAL_STARTS = ["POST", /^\/threads\/[^/]+\/runs(\/(crons|stream|wait))?$/] as const;

const ndjson = rewriteReply(STREAM, (reply) => {
  if (reply.status !== 200) return reply;
  const headers = { ...reply.headers, "content-type": "application/x-ndjson" };
  return {
    ...reply,
    headers,
    text: [...reply.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data).join("\n"),
  };
});

/** Accepts a run whose webhook is refused, and does not call it; those that fit `pattern` stay refused. */
const callNothing =
  (pattern: RegExp): SendWrapper =>
  (next) =>
  async (request) => {
    const reply = await next(request);
    const body = jsonOf(request.body);
    if (!START[1].test(request.path) || reply.status !== 422 || !isMembers(body)) return reply;
    const isIgnored = typeof body.webhook === "string" && !pattern.test(body.webhook);
    return isIgnored ? next({ ...request, body: JSON.stringify(without(body, "webhook")) }) : reply;
  };

/** Signed, and with another type in place of the one that is assumed; a static header's stays (§6.1). */
const signed = rewriteEach(({ headers }) => ({
  headers: {
    ...headers,
    ...(headers["content-type"] === "application/json" && { "content-type": "text/plain" }),
    "x-signature": "sha256=00",
  },
}));

/** §2.1 to §2.3, §3.2, §4.1, §4.8 and §6: what of the agent server is not shown. */
export const AGENT_SERVERS: readonly Row[] = conforming({
  "2.2-2: a thread is always idle": setReplyMembers(THREAD, { status: "idle" }),
  "2.2-1: the values of a new thread are {}": setReplyMembers(THREADS, { values: {} }),
  "2.1-1: ids of the agent server are in capitals": {
    send: combine(
      rewriteText(AGENT, upperCaseIds),
      rewriteRequest(["*", /./], ({ path, body, ...request }) => ({
        ...request,
        path: lowerCaseIds(path),
        ...(body !== undefined && { body: lowerCaseIds(body) }),
      })),
    ),
    ...rewriteEach(({ body }) => ({ body: upperCaseIds(body) })),
  },
  "2.1-1: times have a small t and z": lowerCaseTimes(AGENT),
  "2.1-1: kwargs contain the input as payload.arguments": setReplyMembers(START, ({ kwargs }) => ({
    kwargs: { payload: { arguments: kwargs } },
  })),
  "2.1-1: the metadata of a run is set by the server": setReplyMembers(START, {
    metadata: { created_by: "system" },
  }),
  "2.1-3: a request cannot choose the strategy": dropRequestMembers(STARTS, "multitask_strategy"),
  "3.2-2: a new run is running": setReplyMembers(START, { status: "running" }),
  "3.2-2: a new run has ended with an error": setReplyMembers(START, { status: "error" }),
  "3.2-2: a run can take three hours": { settings: { limits: { agent_run_timeout: "PT3H" } } },
  "4.1-3: an unknown thread has no runs": rewriteStatus(LIST, [404], 200, []),
  "4.1-3: invalid parameters of the list are answered with 400": rewriteStatus(LIST, [422], 400),
  "4.1-4: limits of 1001 and negative limits are accepted": rewriteQuery(LIST, (query) => {
    if (query.get("limit") === "1001") query.set("limit", "1000");
    for (const name of ["limit", "offset"]) if (Number(query.get(name)) < 0) query.delete(name);
  }),
  "4.1-4: a page has at most a hundred runs": answerInstead(["GET", /[?&]limit=1\d{3}\b/], 422, "limit"),
  "4.1-4: other notations of select are refused": answerInstead(
    ["GET", /select(\[|%5B|=[^&]*(,|%2C|\[|%5B))/i],
    422,
    "select",
  ),
  "4.8-1: only the listed paths start runs": answerInstead(PLURAL_STARTS, 404, "Not Found"),
  "4.8-2: an additional stream_mode is accepted": rewriteRequestBody(STREAM, (body) =>
    body.stream_mode === "nonsense" ? { ...body, stream_mode: "values" } : body,
  ),
  "4.8-2: a stream consists of lines of JSON": ndjson,
  "4.8-2: a run without an assistant uses the first one": accept(
    STREAM,
    (body) => !("assistant_id" in body) && "input" in body,
  ),
  "4.8-4: wait returns the run": rewriteReplyBody(WAIT, () => ({ run_id: "made-up", status: "success" })),
  "4.8-4: the id of a cron is named id, not cron_id": renameMembers(["*", /\/runs\/crons/], {
    cron_id: "id",
  }),
  "4.8-4: crons cannot be searched": rewriteStatus(CRON_SEARCH, [200], 404, "Not Found"),
  "4.8-4: a cron fires hourly at most": setRequestMembers(CRONS, { schedule: "0 * * * *" }),
  "4.8-3: an assistant has only assistant_id": rewriteList(ASSISTANTS, (assistants) =>
    assistants.map(({ assistant_id }) => ({ assistant_id })),
  ),
  "6-2: only successful runs are delivered": {
    // A receiver may also serve as an object store: a request without a run is not a delivery.
    deliveries: (all) => all.filter(({ body }) => !/"run_id".*"status":"(?!success)/.test(body)),
  },
  "6-3: a delivery is not retried": { settings: { limits: { webhook_attempts: 1 } } },
  "6-3: a delivery has up to five attempts": { settings: { limits: { webhook_attempts: 5 } } },
  "6-3: deliveries are signed and have another content type": signed,
  "6-3: a delivery also has values and a timestamp": rewritePayload((run: Members | undefined) => ({
    ...run,
    values: {},
    webhook_sent_at: "2026-03-02T00:00:00Z",
  })),
  "6-3: a URL is checked when it is called": callNothing(/^$/),
  "6-3: a URL that is not local is checked when it is called": callNothing(/127\.0\.0\.1/),
});
