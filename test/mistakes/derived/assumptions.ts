import { OPEN_CHOICES, settingsFor } from "../../../contracts/spec/alternatives.ts";
import type { AssumptionValue } from "../../../contracts/spec/assumption.ts";
import { ASSUMPTIONS, type AssumptionId } from "../../../contracts/spec/assumptions.ts";
import { conforming, differences, mistakes, type Row } from "../row.ts";

/** The key and the workspace of the harness (`contracts/targets/emulator-target.ts`). */
const EMULATOR_KEY = { key: "contract-harness-key", tenants: ["00000000-0000-4000-8000-000000000001"] };

/** What a server does not offer to the harness, whose receivers are at loopback addresses and at any port. */
const LACKS: Readonly<Record<string, Row["lacks"]>> = {
  "platform.accepted_keys=keys": ["tenants"],
  "agent.webhook_test_receivers=false": ["receiver"],
  "agent.webhook_local_addresses=refuse": ["receiver"],
};

const AGENT_PATHS = /^\/(threads?|assistants|runs\/(crons|stream|wait))\b/;

interface Alternative extends Pick<Row, "does" | "settings" | "lacks"> {
  readonly id: AssumptionId;
  readonly value: AssumptionValue;
  readonly isRuledOut: boolean;
}

const ALTERNATIVES: readonly Alternative[] = OPEN_CHOICES.flatMap((id) => {
  const { choice, alternatives = [], ruledOut = [] } = ASSUMPTIONS[id];
  return alternatives.map((value) => ({
    id,
    value,
    isRuledOut: ruledOut.includes(value),
    does: `${id} is ${value}, not ${choice}`,
    settings: settingsFor(id, value, EMULATOR_KEY),
    lacks: LACKS[`${id}=${value}`],
  }));
});

const rowsOf = (make: typeof differences, alternatives: readonly Alternative[]) =>
  alternatives.flatMap(({ id, does, settings, lacks }) =>
    make({
      [`${ASSUMPTIONS[id].requirement}: ${does}`]: {
        settings,
        ...(lacks && { lacks }),
        ...(id.startsWith("agent.") && { paths: AGENT_PATHS }),
      },
    }),
  );

/** An emulator for each value of an assumption that a shown statement rules out. */
export const RULED_OUT_VALUES: readonly Row[] = rowsOf(
  mistakes,
  ALTERNATIVES.filter(({ isRuledOut }) => isRuledOut),
);

/** The other values: servers with them conform. */
const OPEN_VALUES = ALTERNATIVES.filter(({ isRuledOut }) => !isRuledOut);

/** No case about the requirement checks these choices. */
const UNCHECKED = [
  /^platform\.(conflict|method_not_allowed|unknown_fields|newer_features|foreign_workspace|accepted_keys|timestamp_)/,
  /^(destination\.error_prefix|export\.(errors_when_none|row_order)|ingest\.multipart_lengths|query\.order)/,
  /^agent\.(invalid_request|unknown_id|thread_ttl|multitask_reject|unknown_graph|cron_empty_change)/,
  /^(agent\.webhook_local_addresses|rate_limit\.window)/,
];

/** A case reports each of them as a difference. */
export const OTHER_CHOICES: readonly Row[] = rowsOf(
  differences,
  OPEN_VALUES.filter(({ id }) => !UNCHECKED.some((pattern) => pattern.test(id))),
);

/** No case may FAIL on them. */
export const ALTERNATIVE_SERVERS: readonly Row[] = rowsOf(conforming as typeof differences, OPEN_VALUES);
