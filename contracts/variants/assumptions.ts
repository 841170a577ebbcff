import type { Variant } from "../engine/variant.ts";
import type { Assumption, AssumptionValue } from "../spec/assumption.ts";
import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionId } from "../spec/assumptions.ts";
import type { RequirementId } from "../spec/requirements.ts";

/** The key and the workspace of the harness (`targets/emulator-target.ts`). */
const EMULATOR_KEY = { key: "contract-harness-key", tenants: ["00000000-0000-4000-8000-000000000001"] };

/** Alternatives that the emulator has under a setting of another kind: its value, and what else the variant needs. */
const OTHER_SETTINGS: Readonly<Record<string, Pick<Variant, "settings" | "lacks">>> = {
  "platform.unknown_fields=refuse": { settings: { strict: true } },
  "platform.accepted_keys=keys": {
    settings: { auth: { mode: "keys", keys: [EMULATOR_KEY] } },
    lacks: ["tenants"],
  },
  // The harness's receivers are at loopback addresses and at any port.
  "agent.webhook_without_url_block=the defaults of the block apply": {
    settings: { assumptions: { "agent.webhook_without_url_block": "the defaults of the block apply" } },
    lacks: ["receiver"],
  },
  "agent.webhook_local_addresses=refuse": {
    settings: { assumptions: { "agent.webhook_local_addresses": "refuse" } },
    lacks: ["receiver"],
  },
};

/** An emulator for each alternative of each assumption that leaves what the specification shows. */
export const ALTERNATIVE_VARIANTS: readonly Variant[] = ASSUMPTION_IDS.flatMap((id) => {
  const row: Assumption = ASSUMPTIONS[id];
  return honestAlternatives(row).map((value) => variantOf(id, row, value));
});

/** The alternatives that no shown statement rules out. */
function honestAlternatives({ alternatives, ruledOut = [] }: Assumption): readonly AssumptionValue[] {
  return alternatives.filter((value) => !ruledOut.includes(value));
}

function variantOf(id: AssumptionId, row: Assumption, value: AssumptionValue): Variant {
  const { requirement, setting } = row;
  const name = `${id}=${value}`;
  return {
    id: name,
    requirement: requirement as RequirementId,
    differs: `${id} is ${value}, not ${row.choice}`,
    ...(OTHER_SETTINGS[name] ?? {
      settings: setting === undefined ? { assumptions: { [id]: value } } : nested(setting, value),
    }),
  };
}

/** `{ limits: { x: value } }` for `limits.x`. */
function nested(path: string, value: AssumptionValue): Readonly<Record<string, unknown>> {
  const [first = "", ...rest] = path.split(".");
  return { [first]: rest.length === 0 ? value : nested(rest.join("."), value) };
}
