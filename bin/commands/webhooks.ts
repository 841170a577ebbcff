import { counted } from "../../contracts/report/counted.ts";
import type { DeliveryView } from "../../emulator/client/control-client.ts";
import { clientCommand } from "../client-command.ts";
import { type CommandGroup, type Invocation, WORLD_FLAGS } from "../command.ts";
import { followJournal } from "../journal/follow.ts";
import { runningWorld } from "../running.ts";
import { aligned, printResult } from "../terminal.ts";
import { countOf } from "../values.ts";

const DEFAULT_DELIVERIES = 100;
const MAX_DELIVERIES = 10_000;

export const command: CommandGroup = {
  summary: "webhook deliveries of a running emulator: list, print as they end, send again; check a URL",
  usual: "list",
  actions: {
    tail: {
      summary:
        "print webhook deliveries until Ctrl-C: first those already ended, then each new one when it ends",
      operands: [],
      flags: WORLD_FLAGS,
      run: tail,
    },
    list: clientCommand({
      summary: "list the latest deliveries, the newest at the end",
      reads: true,
      flags: { limit: { value: "<n>", help: `number of deliveries (default ${DEFAULT_DELIVERIES})` } },
      prepare(invocation) {
        const limit = countOf(invocation, "limit", { most: MAX_DELIVERIES }) ?? DEFAULT_DELIVERIES;
        return ({ client }) => client.webhooks.deliveries(limit);
      },
      lines: (deliveries) => aligned(deliveries.map(deliveryCells)),
    }),
    redeliver: clientCommand({
      summary: "send a delivery once more",
      operands: ["<id>"],
      send: ({ client }, { operands: [id = ""] }) => client.webhooks.redeliver(id),
      lines: (delivery) => aligned([deliveryCells(delivery)]),
    }),
    check: clientCommand({
      summary: "check a webhook URL and print which rule (§6.1) refuses it; exit code 1 when it is refused",
      operands: ["<webhook url>"],
      send: ({ client }, { operands: [url = ""] }) => client.webhooks.check(url),
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

/** A delivery as the cells of a line. */
export function deliveryCells(delivery: DeliveryView): string[] {
  const { id, created_at, status, run_id, run_status, url, attempts, reason } = delivery;
  const last = attempts.at(-1);
  const outcome = last === undefined ? "" : `, last ${last.status ?? last.failure}`;
  return [
    created_at,
    id,
    status,
    `run ${run_id} ${run_status}`,
    `${counted(attempts.length, "attempt")}${outcome}`,
    reason === null ? url : `${url} (${reason})`,
  ];
}

const COLLECTION = "webhook_deliveries/";

/** Prints each delivery once it has ended, those of the ledger first. */
async function tail(invocation: Invocation): Promise<number> {
  const world = await runningWorld(invocation);
  const printed = new Set<string>();
  for await (const { put = [] } of followJournal(world, 0, () => printed.clear())) {
    for (const name of put) {
      const id = name.startsWith(COLLECTION) ? name.slice(COLLECTION.length) : undefined;
      if (id === undefined || printed.has(id)) continue;
      const delivery = await world.client.webhooks.delivery(id).catch(ifForgotten);
      if (delivery === undefined || delivery.status === "pending") continue;
      printed.add(id);
      printResult(invocation, delivery, [deliveryCells(delivery).join("  ")]);
    }
  }
  return 0;
}

/** The ledger forgets old deliveries. */
function ifForgotten(error: Error & { readonly status?: number }): DeliveryView | undefined {
  if (error.status !== 404) throw error;
  return undefined;
}
