import type { Variant } from "../engine/variant.ts";
import { OPEN_CHOICES, settingsFor } from "../spec/alternatives.ts";
import type { AssumptionValue } from "../spec/assumption.ts";
import { ASSUMPTIONS, type AssumptionId } from "../spec/assumptions.ts";

/** The key and the workspace of the harness (`targets/emulator-target.ts`). */
const EMULATOR_KEY = { key: "contract-harness-key", tenants: ["00000000-0000-4000-8000-000000000001"] };

/** What a variant does not offer to the harness, whose receivers are at loopback addresses and at any port. */
const LACKS: Readonly<Record<string, Variant["lacks"]>> = {
  "platform.accepted_keys=keys": ["tenants"],
  "agent.webhook_test_receivers=false": ["receiver"],
  "agent.webhook_local_addresses=refuse": ["receiver"],
};

/** An emulator for each alternative of an assumption that no shown statement rules out. */
export const ALTERNATIVE_VARIANTS: readonly Variant[] = OPEN_CHOICES.flatMap((id) => {
  const { alternatives = [], ruledOut = [] } = ASSUMPTIONS[id];
  return alternatives.filter((value) => !ruledOut.includes(value)).map((value) => variantOf(id, value));
});

function variantOf(id: AssumptionId, value: AssumptionValue): Variant {
  const { choice, requirement } = ASSUMPTIONS[id];
  const name = `${id}=${value}`;
  const lacks = LACKS[name];
  return {
    id: name,
    requirement,
    differs: `${id} is ${value}, not ${choice}`,
    settings: settingsFor(id, value, EMULATOR_KEY),
    ...(lacks && { lacks }),
  };
}
