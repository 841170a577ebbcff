import { isMembers, jsonOf, type Members } from "../engine/json.ts";
import {
  answerInstead,
  rewriteList,
  rewriteQuery,
  rewriteReply,
  rewriteReplyBody,
  rewriteRequest,
  rewriteRequestBody,
  rewriteStatus,
  type SendWrapper,
  setReplyMembers,
  without,
} from "../engine/mutant.ts";
import type { Delivery } from "../engine/target.ts";
import { type Variant, variantsOf } from "../engine/variant.ts";
import { LIST, START, STREAM, THREAD, THREADS, WAIT } from "../mutants/agent.ts";
import { rewriteEach } from "../mutants/webhooks.ts";
import { accept, combine, lowerCaseIds, lowerCaseTimes, renameMembers, upperCaseIds } from "./changes.ts";

const AGENT = ["*", /^\/(threads?|assistants|runs\/(crons|stream|wait))\b/] as const;
const WHOLE_LIST = ["GET", /^\/threads\/[^/]+\/runs(\?(?!.*select)|$)/] as const;
const STARTS = ["POST", /\/runs(\/(stream|wait|crons))?$/] as const;
const CRONS = ["*", /\/runs\/crons/] as const;

const runIn = ({ body }: Delivery): Members => {
  const run = jsonOf(body);
  return isMembers(run) ? run : {};
};

const ndjson = rewriteReply(STREAM, (reply) =>
  reply.status === 200
    ? {
        ...reply,
        headers: { ...reply.headers, "content-type": "application/x-ndjson" },
        text: [...reply.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data).join("\n"),
      }
    : reply,
);

/** Accepts a run whose webhook is refused, and does not call it; those that fit `pattern` stay refused. */
const callNothing =
  (pattern: RegExp): SendWrapper =>
  (next) =>
  async (request) => {
    const reply = await next(request);
    const body = jsonOf(request.body);
    if (!START[1].test(request.path) || reply.status !== 422 || !isMembers(body)) return reply;
    return typeof body.webhook === "string" && !pattern.test(body.webhook)
      ? next({ ...request, body: JSON.stringify(without(body, "webhook")) })
      : reply;
  };

/** Another type in place of the one that is assumed; a static header's stays (§6.1). */
function typeInstead({ headers }: Delivery): Readonly<Record<string, string>> {
  return headers["content-type"] === "application/json" ? { "content-type": "text/plain" } : {};
}

/** §2.1 to §2.3, §3.2, §4.1, §4.8 and §6: what of the agent server is not shown. */
export const AGENT_VARIANTS: readonly Variant[] = [
  ...variantsOf("2.2-2", {
    "always-idle": { differs: "a thread is always idle", send: setReplyMembers(THREAD, { status: "idle" }) },
  }),
  ...variantsOf("2.2-1", {
    "extra-members": {
      differs: "a thread has an additional member",
      send: setReplyMembers(THREADS, { interrupts: {} }),
    },
    "empty-values": {
      differs: "the values of a new thread are {}",
      send: setReplyMembers(THREADS, { values: {} }),
    },
  }),
  ...variantsOf("2.1-1", {
    "extra-members": {
      differs: "a run has an additional member",
      send: combine(setReplyMembers(START, { priority: 1 }), setReplyMembers(WHOLE_LIST, { priority: 1 })),
    },
    "upper-case-ids": {
      differs: "ids of the agent server are in capitals",
      send: combine(
        rewriteReply(AGENT, (reply) => ({ ...reply, text: upperCaseIds(reply.text) })),
        rewriteRequest(["*", /./], ({ path, ...request }) => ({
          ...request,
          path: lowerCaseIds(path),
          ...(request.body !== undefined && { body: lowerCaseIds(request.body) }),
        })),
      ),
      deliveries: rewriteEach((delivery) => ({ ...delivery, body: upperCaseIds(delivery.body) })),
    },
    "lower-case-times": { differs: "times have a small t and z", send: lowerCaseTimes(AGENT) },
    "kwargs-nested": {
      differs: "kwargs contain the input as payload.arguments",
      send: rewriteReplyBody(START, (run) => ({ ...run, kwargs: { payload: { arguments: run.kwargs } } })),
    },
    "own-metadata": {
      differs: "the metadata of a run is set by the server",
      send: rewriteReplyBody(START, (run) => ({ ...run, metadata: { created_by: "system" } })),
    },
  }),
  ...variantsOf("2.1-3", {
    "strategy-ignored": {
      differs: "a request cannot choose the strategy",
      send: rewriteRequestBody(STARTS, ({ multitask_strategy: _, ...body }) => body),
    },
  }),
  ...variantsOf("3.2-2", {
    "starts-running": {
      differs: "a new run is running",
      send: rewriteReplyBody(START, (run) =>
        run.status === "pending" ? { ...run, status: "running" } : run,
      ),
    },
    "ends-at-once": {
      differs: "a new run has ended with an error",
      send: rewriteReplyBody(START, (run) => ({ ...run, status: "error" })),
    },
    "three-hours": {
      differs: "a run can take three hours",
      settings: { limits: { agent_run_timeout: "PT3H" } },
    },
  }),
  ...variantsOf("4.1-3", {
    "other-refusals": {
      differs: "an unknown thread has no runs, and invalid parameters of the list are answered with 400",
      send: combine(rewriteStatus(LIST, [404], 200, []), rewriteStatus(LIST, [422], 400)),
    },
  }),
  ...variantsOf("4.1-4", {
    "any-limit": {
      differs: "limits of 1001 and negative limits are accepted",
      send: rewriteQuery(LIST, (sentBody) => {
        if (sentBody.get("limit") === "1001") sentBody.set("limit", "1000");
        for (const name of ["limit", "offset"]) if (Number(sentBody.get(name)) < 0) sentBody.delete(name);
      }),
    },
    "limit-100": {
      differs: "a page has at most a hundred runs",
      send: answerInstead(({ path }) => /[?&]limit=1\d{3}\b/.test(path), 422, "limit"),
    },
    "select-repeated-only": {
      differs: "other notations of select are refused",
      send: answerInstead(({ path }) => /select(\[|%5B|=[^&]*(,|%2C|\[|%5B))/i.test(path), 422, "select"),
    },
  }),
  ...variantsOf("4.8-1", {
    "singular-only": {
      differs: "only the listed paths start runs",
      send: answerInstead(
        ({ method, path }) =>
          method === "POST" && /^\/threads\/[^/]+\/runs(\/(crons|stream|wait))?$/.test(path),
        404,
        "Not Found",
      ),
    },
  }),
  ...variantsOf("4.8-2", {
    "open-mode": {
      differs: "an additional stream_mode is accepted",
      send: rewriteRequestBody(STREAM, (body) =>
        body.stream_mode === "nonsense" ? { ...body, stream_mode: "values" } : body,
      ),
    },
    ndjson: { differs: "a stream consists of lines of JSON", send: ndjson },
    "default-assistant": {
      differs: "a run without an assistant uses the first one",
      send: accept(STREAM, (body) => !("assistant_id" in body) && "input" in body),
    },
  }),
  ...variantsOf("4.8-4", {
    "wait-answers-run": {
      differs: "wait returns the run",
      send: rewriteReplyBody(WAIT, () => ({
        run_id: "00000000-0000-4000-8000-0000000000aa",
        status: "success",
      })),
    },
    "cron-id": {
      differs: "the id of a cron is named id, not cron_id",
      send: renameMembers(CRONS, { cron_id: "id" }),
    },
    "no-cron-search": {
      differs: "crons cannot be searched",
      send: rewriteStatus(["POST", /\/runs\/crons\/search$/], [200], 404, "Not Found"),
    },
    hourly: {
      differs: "a cron fires hourly at most",
      send: rewriteRequestBody(["POST", /\/runs\/crons$/], (body) => ({ ...body, schedule: "0 * * * *" })),
    },
  }),
  ...variantsOf("4.8-3", {
    "assistants-bare": {
      differs: "an assistant has only assistant_id",
      send: rewriteList(["POST", /\/assistants\/search$/], (assistants) =>
        assistants.map(({ assistant_id }) => ({ assistant_id })),
      ),
    },
  }),
  ...variantsOf("6-2", {
    "success-only": {
      differs: "only successful runs are delivered",
      // A receiver may also serve as an object store: a request without a run is not a delivery.
      deliveries: (all) =>
        all.filter((delivery) => {
          const run = runIn(delivery);
          return !("run_id" in run) || run.status === "success";
        }),
    },
  }),
  ...variantsOf("6-3", {
    once: { differs: "a delivery is not retried", settings: { limits: { webhook_attempts: 1 } } },
    "five-times": {
      differs: "a delivery has up to five attempts",
      settings: { limits: { webhook_attempts: 5 } },
    },
    signed: {
      differs: "deliveries are signed and have another content type",
      deliveries: rewriteEach((delivery) => ({
        ...delivery,
        headers: { ...delivery.headers, ...typeInstead(delivery), "x-signature": "sha256=00" },
      })),
    },
    "payload-more": {
      differs: "a delivery also has values and a timestamp",
      deliveries: rewriteEach((delivery) => ({
        ...delivery,
        body: JSON.stringify({ ...runIn(delivery), values: {}, webhook_sent_at: "2026-03-02T00:00:00Z" }),
      })),
    },
    "any-url": { differs: "a URL is checked when it is called", send: callNothing(/^$/) },
    "any-remote-url": {
      differs: "a URL that is not local is checked when it is called",
      send: callNothing(/127\.0\.0\.1/),
    },
  }),
];
