import type { DeliveryView } from "../../emulator/client/control-client.ts";
import { type Command, type Invocation, WORLD_FLAGS } from "../command.ts";
import { followJournal } from "../journal/follow.ts";
import { runningWorld } from "../running.ts";
import { printResult } from "../terminal.ts";
import { deliveryCells } from "./cells.ts";

const COLLECTION = "webhook_deliveries/";

/** `webhooks tail`: prints each delivery once it has ended, those of the ledger first. */
export const tailDeliveries: Command = {
  summary: "print webhook deliveries until Ctrl-C: first those already ended, then each new one when it ends",
  operands: [],
  flags: WORLD_FLAGS,
  run,
};

async function run(invocation: Invocation): Promise<number> {
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
