import type { Members } from "../engine/json.ts";
import { jsonOf } from "../engine/json.ts";
import { type Mutant, mutantsOf } from "../engine/mutant.ts";
import type { Delivery } from "../engine/target.ts";

/** Rewrites each delivery. */
export const rewriteEach = (change: (delivery: Delivery) => Delivery) => (all: readonly Delivery[]) =>
  all.map(change);

const rewritePayload = (change: (run: Members) => unknown) =>
  rewriteEach((delivery) => ({
    ...delivery,
    body: JSON.stringify(change(jsonOf(delivery.body) as Members)),
  }));

/** §6: what is delivered. */
export const WEBHOOK_MUTANTS: readonly Mutant[] = [
  ...mutantsOf("5-4", {
    "no-query": {
      wrongBehaviour: "the query of the webhook URL is dropped",
      deliveries: rewriteEach((one) => ({ ...one, path: one.path.replace(/\?.*/, "") })),
    },
    decoded: {
      wrongBehaviour: "the query of the webhook URL is decoded",
      deliveries: rewriteEach((one) => ({ ...one, path: decodeURIComponent(one.path) })),
    },
  }),
  ...mutantsOf("6-1", {
    twice: {
      wrongBehaviour: "each delivery is sent twice",
      deliveries: (all) => all.flatMap((one) => [one, one]),
    },
    never: { wrongBehaviour: "nothing is delivered", deliveries: () => [] },
    "no-kwargs": {
      wrongBehaviour: "the payload has no kwargs",
      deliveries: rewritePayload(({ kwargs: _, ...run }) => run),
    },
    wrapped: {
      wrongBehaviour: "the payload is wrapped",
      deliveries: rewritePayload((run) => ({ event: "run.completed", run })),
    },
    "as-form": {
      wrongBehaviour: "the payload is a form",
      deliveries: rewriteEach((one) => ({ ...one, body: "run_id=1&status=success" })),
    },
    put: {
      wrongBehaviour: "deliveries are PUT requests",
      deliveries: rewriteEach((one) => ({ ...one, method: "PUT" })),
    },
  }),
  ...mutantsOf("6-2", {
    "success-only": {
      wrongBehaviour: "only successful runs are delivered",
      deliveries: (all) =>
        all.filter(({ body }) => (jsonOf(body) as Members | undefined)?.status === "success"),
    },
  }),
  ...mutantsOf("6-3", {
    signed: {
      wrongBehaviour: "deliveries are signed",
      deliveries: rewriteEach((one) => ({ ...one, headers: { ...one.headers, "x-signature": "abc" } })),
    },
    "as-text": {
      wrongBehaviour: "deliveries are sent as text",
      deliveries: rewriteEach((one) => ({
        ...one,
        headers: { ...one.headers, "content-type": "text/plain" },
      })),
    },
  }),
  ...mutantsOf("6.1-1", {
    "first-only": {
      wrongBehaviour: "only the first delivery has the headers",
      deliveries: (all) => all.map((one, index) => (index === 0 ? one : { ...one, headers: {} })),
    },
    "own-type": {
      wrongBehaviour: "a static Content-Type is ignored",
      deliveries: rewriteEach((one) => ({
        ...one,
        headers: { ...one.headers, "content-type": "application/json" },
      })),
    },
    "starts-anyway": { wrongBehaviour: "the server starts with invalid static headers", startsAnyway: true },
  }),
  ...mutantsOf("6.1-2", {
    unfilled: {
      wrongBehaviour: "variables are not replaced",
      deliveries: rewriteEach((one) => ({
        ...one,
        headers: { ...one.headers, "x-token": "Bearer ${{ env.LG_WEBHOOK_CONTRACT }}!" },
      })),
    },
  }),
  ...mutantsOf("6.1-3", {
    "starts-anyway": {
      wrongBehaviour: "the server starts although a variable is missing",
      startsAnyway: true,
    },
  }),
  ...mutantsOf("6.1-7", {
    "not-internal": {
      wrongBehaviour: "relative URLs are not called",
      send: (next) => async (request) => {
        const reply = await next(request);
        return /\/webhooks\/inbox\//.test(request.path) ? { ...reply, text: "[]" } : reply;
      },
    },
  }),
];
