import { matcherProblems, memberProblems } from "../../../scenarios/expectations.ts";
import { differences } from "../../../scenarios/matching.ts";
import type { DeliveryView } from "../../client/control-client.ts";
import type { Emulator } from "../../runtime/index.ts";
import { requireEmulator } from "./require-emulator.ts";

/** The expected members of a delivery, by name or path, with the matchers of scenarios. */
export type ExpectedDelivery = Readonly<Record<string, unknown>>;

/** `toHaveDelivered`: compares the ledger with what was expected; a failure shows the delivery that comes nearest. */
export async function deliveryVerdict(emulator: Emulator, expected: ExpectedDelivery, times?: number) {
  refuseMisuse(emulator, expected);
  const deliveries = await emulator.control<readonly DeliveryView[]>(
    "GET",
    "/webhooks/deliveries?limit=10000",
  );
  const requiredMembers = { status: "delivered", ...expected };
  const comparisons = deliveries.map((delivery) => ({
    delivery,
    found: differences(requiredMembers, delivery),
  }));
  const count = comparisons.filter(({ found }) => found.length === 0).length;
  const [closest] = comparisons
    .filter(({ found }) => found.length > 0)
    .sort((a, b) => a.found.length - b.found.length);
  return {
    pass: times === undefined ? count > 0 : count === times,
    message: () =>
      [
        `${count} deliveries are like ${JSON.stringify(requiredMembers)}; the ledger has ${deliveries.length}`,
        ...(closest
          ? [
              `nearest is ${closest.delivery.id} of run ${closest.delivery.run_id}:`,
              ...closest.found.map((difference) => `  ${difference}`),
            ]
          : []),
      ].join("\n"),
  };
}

/** A misspelled member would never match. */
function refuseMisuse(emulator: Emulator, expected: ExpectedDelivery): void {
  requireEmulator("toHaveDelivered", emulator);
  const problems = [...matcherProblems(expected), ...memberProblems("deliveries", expected)];
  if (problems.length > 0) throw new Error(`toHaveDelivered: ${problems.join("; ")}`);
}
