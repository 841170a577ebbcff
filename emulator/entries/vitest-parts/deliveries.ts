import { matcherProblems } from "../../../scenarios/expectations.ts";
import { differences } from "../../../scenarios/matching.ts";
import type { DeliveryView } from "../../client/control-client.ts";
import { nearest } from "../../kernel/nearest.ts";
import type { Emulator } from "../../runtime/index.ts";
import { requireEmulator } from "./calls.ts";

/** The expected members of a delivery, by name or path, with the matchers of scenarios. */
export type ExpectedDelivery = Readonly<Record<string, unknown>>;

const MEMBERS: readonly (keyof DeliveryView)[] = [
  "id",
  "run_id",
  "thread_id",
  "run_status",
  "url",
  "status",
  "reason",
  "redelivery_of",
  "created_at",
  "ended_at",
  "current_attempt",
  "attempts",
  "request",
  "assumption",
];

/** `toHaveDelivered`: compares the ledger with what was expected; a failure shows the delivery that comes nearest. */
export async function deliveryVerdict(emulator: Emulator, expected: ExpectedDelivery, times?: number) {
  refuseMisuse(emulator, expected);
  const all = await emulator.control<readonly DeliveryView[]>("GET", "/webhooks/deliveries?limit=10000");
  const wanted = { status: "delivered", ...expected };
  const compared = all.map((delivery) => ({ delivery, found: differences(wanted, delivery) }));
  const count = compared.filter(({ found }) => found.length === 0).length;
  const [closest] = compared
    .filter(({ found }) => found.length > 0)
    .sort((a, b) => a.found.length - b.found.length);
  return {
    pass: times === undefined ? count > 0 : count === times,
    message: () =>
      [
        `${count} deliveries are like ${JSON.stringify(wanted)}; the ledger has ${all.length}`,
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
  const problems = [...matcherProblems(expected)];
  for (const path of Object.keys(expected)) {
    const [name = ""] = path.split(".", 1);
    if (name === "*" || MEMBERS.some((member) => member === name)) continue;
    const meant = nearest(name, MEMBERS);
    problems.push(
      `a delivery has no member ${name}; ${meant === undefined ? `it has ${MEMBERS.join(", ")}` : `did you mean ${meant}?`}`,
    );
  }
  if (problems.length > 0) throw new Error(`toHaveDelivered: ${problems.join("; ")}`);
}
