import { OPEN_CHOICES, settingsFor } from "../../../contracts/spec/alternatives.ts";
import { ASSUMPTIONS, type AssumptionId } from "../../../contracts/spec/assumptions.ts";
import { type Change, conforming, differences, mistakes, type Row } from "../row.ts";

/** The key and the workspace of the harness (`contracts/targets/emulator-target.ts`). */
const EMULATOR_KEY = { key: "contract-harness-key", tenants: ["00000000-0000-4000-8000-000000000001"] };

/** What a server does not offer to the harness, whose receivers are at loopback addresses and at any port. */
const LACKS: Readonly<Record<string, Row["lacks"]>> = {
  "platform.accepted_keys=keys": ["tenants"],
  "agent.webhook_test_receivers=false": ["receiver"],
  "agent.webhook_local_addresses=refuse": ["receiver"],
};

/** The sections of the cases that call the agent server, or count requests. */
const AMONG: Readonly<Record<string, RegExp>> = {
  agent: /^(1|2\.[123]|3\.2|4\.[18]|5|6|6\.1|7|9)\//,
  rate_limit: /^8\.5\//,
};

interface Alternative {
  readonly id: AssumptionId;
  readonly does: string;
  readonly isRuledOut: boolean;
  readonly change: Change;
}

const ALTERNATIVES: readonly Alternative[] = OPEN_CHOICES.flatMap((id) => {
  const { choice, alternatives = [], ruledOut = [] } = ASSUMPTIONS[id];
  return alternatives.map((value) => {
    const lacks = LACKS[`${id}=${value}`];
    const among = AMONG[id.split(".", 1)[0] ?? ""];
    const settings = settingsFor(id, value, EMULATOR_KEY);
    return {
      id,
      does: `${id} is ${value}, not ${choice}`,
      isRuledOut: ruledOut.includes(value),
      change: { settings, ...(lacks && { lacks }), ...(among && { among }) },
    };
  });
});

const rowsOf = (make: typeof differences, alternatives: readonly Alternative[]) =>
  alternatives.flatMap(({ id, does, change }) =>
    make({ [`${ASSUMPTIONS[id].requirement}: ${does}`]: change }),
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
export const ALTERNATIVE_SERVERS: readonly Row[] = rowsOf(conforming, OPEN_VALUES);
