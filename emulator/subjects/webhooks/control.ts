import { object, oneOf, optional, text, uuid } from "../../../contracts/spec/fields.ts";
import { LIST_QUERY, listOf } from "../control-list.ts";
import { cause, control } from "../control-operation.ts";
import { explainWebhook } from "./explain.ts";
import { clearInbox, listInboxes, readInbox, receive } from "./inbox.ts";
import { deliveryById, listDeliveries } from "./ledger.ts";
import { DELIVERY_STATUSES } from "./records.ts";
import { redeliver } from "./redeliver.ts";
import { deliveryView } from "./view.ts";

/** Control operations of the delivery ledger, the URL policy and the built-in receiver. */
export const WEBHOOK_OPERATIONS = [
  control({
    method: "GET",
    path: "/webhooks/deliveries",
    summary: "List the latest deliveries with every attempt, the newest at the end; secrets are masked.",
    query: {
      run_id: optional(uuid()),
      status: optional(oneOf(DELIVERY_STATUSES)),
      ...LIST_QUERY,
    },
    run({ world }, { query: { run_id, ...query } }) {
      return listOf(listDeliveries(world.reader, run_id), query, {
        filters: { status: ({ status }) => status },
        show: (delivery) => deliveryView(world.ports.settings, delivery),
      });
    },
  }),
  control({
    method: "GET",
    path: "/webhooks/deliveries/{delivery_id}",
    summary: "Show one delivery with every attempt; secrets are masked.",
    run: ({ world }, { path }) =>
      deliveryView(world.ports.settings, deliveryById(world.reader, path.delivery_id ?? "")),
  }),
  control({
    method: "POST",
    path: "/webhooks/deliveries/{delivery_id}/redeliver",
    summary: "Send a delivery again.",
    body: object({}),
    run({ world }, { path }) {
      const id = path.delivery_id ?? "";
      const delivery = world.turn(cause("webhook.redeliver", id), (turn) => redeliver(turn, id));
      return deliveryView(world.ports.settings, delivery);
    },
  }),
  control({
    method: "POST",
    path: "/webhooks/check",
    summary: "Check a URL: which rule of §6.1 decides, and the result of the other rules.",
    body: object({ url: text({ minLength: 1, maxLength: 65_536 }) }),
    run: ({ world }, { body }) => explainWebhook(world.ports.settings, body.url),
  }),
  control({
    method: "POST",
    path: "/inbox/{name}",
    unversioned: true,
    recorded: false,
    summary: "The built-in receiver: stores the requests that it receives.",
    run({ world }, { path, raw }) {
      const name = path.name ?? "";
      const { query, headers, body } = raw;
      const present = Object.entries(headers).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      const message = { query, headers: Object.fromEntries(present), body: new TextDecoder().decode(body) };
      return world.turn(cause("webhook.inbox", name), (turn) => receive(turn, name, message));
    },
  }),
  control({
    method: "GET",
    path: "/webhooks/inbox",
    summary: "List the inboxes that have received something, oldest first.",
    run: ({ world }) => listInboxes(world.reader),
  }),
  control({
    method: "GET",
    path: "/webhooks/inbox/{name}",
    summary: "List the messages of an inbox, oldest first.",
    run: ({ world }, { path }) => readInbox(world.reader, path.name ?? ""),
  }),
  control({
    method: "DELETE",
    path: "/webhooks/inbox/{name}",
    summary: "Delete the messages of an inbox.",
    run({ world }, { path }) {
      const name = path.name ?? "";
      return { deleted: world.turn(cause("webhook.inbox.empty", name), (turn) => clearInbox(turn, name)) };
    },
  }),
] as const;
