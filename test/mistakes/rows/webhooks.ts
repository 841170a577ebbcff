import type { Members } from "../../../contracts/engine/json.ts";
import { jsonOf } from "../../../contracts/engine/json.ts";
import { rewriteEach, rewritePayload, setDeliveryHeaders } from "../files.ts";
import { mistakes, type Row } from "../row.ts";

/** §6: what is delivered. */
export const WEBHOOK_MISTAKES: readonly Row[] = mistakes({
  "5-4: the query of the webhook URL is dropped": rewriteEach((one) => ({
    path: one.path.replace(/\?.*/, ""),
  })),
  "5-4: the query of the webhook URL is decoded": rewriteEach((one) => ({
    path: decodeURIComponent(one.path),
  })),
  "6-1: each delivery is sent twice": { deliveries: (all) => all.flatMap((one) => [one, one]) },
  "6-1: nothing is delivered": { deliveries: () => [] },
  "6-1: the payload has no kwargs": rewritePayload(({ kwargs: _, ...run }) => run),
  "6-1: the payload reports running": rewritePayload((run) => ({ ...run, status: "running" })),
  "6-1: the kwargs of the payload are empty": rewritePayload((run) => ({ ...run, kwargs: {} })),
  "6-1: the payload names another thread": rewritePayload((run) => ({ ...run, thread_id: run.run_id })),
  "6-1: the payload has a stale updated_at": rewritePayload((run) => ({
    ...run,
    updated_at: run.created_at,
  })),
  "6-1: the payload is wrapped": rewritePayload((run) => ({ event: "run.completed", run })),
  "6-1: the payload is a form": rewriteEach((_one) => ({ body: "run_id=1&status=success" })),
  "6-1: deliveries are PUT requests": rewriteEach((_one) => ({ method: "PUT" })),
  "6-2: only successful runs are delivered": {
    deliveries: (all) =>
      all.filter(({ body }) => (jsonOf(body) as Members | undefined)?.status === "success"),
  },
  "6-3: deliveries are signed": setDeliveryHeaders({ "x-signature": "abc" }),
  "6-3: deliveries are sent as text": rewriteEach((one) => ({
    headers: { ...one.headers, "content-type": "text/plain" },
  })),
  "6.1-1: only the first delivery has the headers": {
    deliveries: (all) => all.map((one, index) => (index === 0 ? one : { ...one, headers: {} })),
  },
  "6.1-1: static headers are missing with a query": rewriteEach((one) =>
    one.path.includes("?") ? { ...one, headers: {} } : one,
  ),
  "6.1-1: a static Content-Type is ignored": rewriteEach((one) => ({
    headers: { ...one.headers, "content-type": "application/json" },
  })),
  "6.1-1: the server starts with invalid static headers": { startsAnyway: true },
  "6.1-2: variables are not replaced": rewriteEach((one) => ({
    headers: { ...one.headers, "x-token": "Bearer ${{ env.LG_WEBHOOK_CONTRACT }}!" },
  })),
  "6.1-3: the server starts although a variable is missing": { startsAnyway: true },
  "6.1-7: relative URLs are not called": (next) => async (request) => {
    const reply = await next(request);
    return /\/webhooks\/inbox\//.test(request.path) ? { ...reply, text: "[]" } : reply;
  },
});
