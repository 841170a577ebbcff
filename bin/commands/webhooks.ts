import { asking } from "../asking.ts";
import type { CommandGroup } from "../command.ts";
import { aligned } from "../terminal.ts";
import { countOf } from "../values.ts";
import { deliveryCells } from "../webhooks/cells.ts";
import { tailDeliveries } from "../webhooks/tail.ts";

const DEFAULT_DELIVERIES = 100;
const MAX_DELIVERIES = 10_000;

export const command: CommandGroup = {
  summary: "webhook deliveries of a running emulator: follow, list, send again; check a URL",
  usual: "list",
  actions: {
    tail: tailDeliveries,
    list: asking({
      summary: "list the newest deliveries, oldest first",
      reads: true,
      flags: { limit: { value: "<n>", help: `number of deliveries (default ${DEFAULT_DELIVERIES})` } },
      ask(invocation) {
        const limit = countOf(invocation, "limit", { most: MAX_DELIVERIES }) ?? DEFAULT_DELIVERIES;
        return ({ client }) => client.webhooks.deliveries(limit);
      },
      lines: (deliveries) => aligned(deliveries.map(deliveryCells)),
    }),
    redeliver: asking({
      summary: "send a delivery once more",
      operands: ["<id>"],
      ask:
        ({ operands: [id = ""] }) =>
        ({ client }) =>
          client.webhooks.redeliver(id),
      lines: (delivery) => aligned([deliveryCells(delivery)]),
    }),
    check: asking({
      summary: "check a webhook URL and print which rule (§6.1) refuses it; exit code 1 when it is refused",
      operands: ["<webhook url>"],
      ask:
        ({ operands: [url = ""] }) =>
        ({ client }) =>
          client.webhooks.check(url),
      lines: ({ url, allowed, message, rules, passed_by }) => [
        `${url}: ${allowed ? "allowed" : "refused"}; ${message}`,
        ...aligned(
          rules.map(({ rule, verdict, requirement, setting = "" }) => [
            rule,
            verdict === "not_reached" ? "not checked" : verdict.replace("_", " "),
            `§${requirement}`,
            setting,
          ]),
        ),
        ...(passed_by === null
          ? []
          : [`allowed only by ${passed_by}, which is on by default; the service would refuse it`]),
      ],
      isGood: ({ allowed }) => allowed,
    }),
  },
};
