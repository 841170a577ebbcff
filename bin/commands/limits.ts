import { RATE_REGIONS } from "../../contracts/spec/rate-limits/rows.ts";
import type { LimitExplanation } from "../../emulator/client/control-client.ts";
import { DEFAULT_API_KEY } from "../../emulator/client/values.ts";
import { clientCommand } from "../client-command.ts";
import type { CommandGroup, Flags, Invocation } from "../command.ts";
import { aligned } from "../terminal.ts";
import { countOf, defined, textOf, wordOf } from "../values.ts";

const REGION: Flags = { region: { value: "us|eu", help: "region (default: that of the address)" } };

export const command: CommandGroup = {
  summary: "rate limits of a running emulator: list them, explain a request, trip and reset them",
  usual: "show",
  actions: {
    show: clientCommand({
      summary:
        "list the rate limits (rows of §8.5): how many requests each allows, and how many its busiest caller has sent",
      reads: true,
      send: ({ client }) => client.rateLimits.list(),
      lines: ({ enabled, rows }) => [
        `rate limits are ${enabled ? "on" : "off"}`,
        ...aligned(
          rows.map(({ row, match, us, eu }) => [
            row,
            match.join(" or "),
            `us ${regionText(us)}`,
            `eu ${regionText(eu)}`,
          ]),
        ),
      ],
    }),
    explain: clientCommand({
      summary: "print which rate limit decides on a request, and when the next such request is accepted",
      reads: true,
      operands: ["<method>", "<path>"],
      flags: {
        ...REGION,
        "api-key": { value: "<key>", help: `API key of the request (default ${DEFAULT_API_KEY})` },
        "user-id": { value: "<id>", help: "header x-user-id of the request" },
      },
      prepare(invocation) {
        const [method = "", path = ""] = invocation.operands;
        const user = textOf(invocation, "user-id");
        const request = {
          method: method.toUpperCase(),
          path,
          "x-api-key": textOf(invocation, "api-key") ?? DEFAULT_API_KEY,
          ...(user !== undefined && { "x-user-id": user }),
          ...regionOf(invocation),
        };
        return ({ client }) => client.rateLimits.explain(request);
      },
      lines: explanationLines,
    }),
    trip: clientCommand({
      summary:
        "make a rate limit (a row of `limits show`) refuse requests for one window, at once or after --remaining more",
      operands: ["<row>"],
      flags: { remaining: { value: "<n>", help: "requests that it still accepts (default 0)" }, ...REGION },
      prepare(invocation) {
        const [row = ""] = invocation.operands;
        const remaining = countOf(invocation, "remaining", { least: 0 }) ?? 0;
        const change = { remaining, ...regionOf(invocation) };
        return ({ client }) => client.rateLimits.change(row, change);
      },
      lines: ({ row, us, eu }) => [`${row}: us ${regionText(us)}; eu ${regionText(eu)}`],
    }),
    reset: clientCommand({
      summary:
        "reset the counters of all rate limits, or of one (a row of `emulator limits show`), and undo the changes that `limits trip` and the control API made",
      operands: ["[row]"],
      flags: REGION,
      prepare(invocation) {
        const [row] = invocation.operands;
        const selection = { ...(row !== undefined && { row }), ...regionOf(invocation) };
        return ({ client }) => client.rateLimits.reset(selection);
      },
      lines: () => ["counters, trips and changes are dropped"],
    }),
  },
};

function regionOf(invocation: Invocation) {
  return defined({ region: wordOf(invocation, "region", RATE_REGIONS) });
}

interface RegionView {
  readonly count: number;
  readonly seconds: number;
  readonly tripped_until?: string;
  readonly in_use: readonly { readonly used: number }[];
}

function regionText({ count, seconds, tripped_until, in_use: [busiest] }: RegionView): string {
  const tripped = tripped_until === undefined ? "" : `, tripped until ${tripped_until}`;
  return `${busiest?.used ?? 0} of ${count} in ${seconds} s${tripped}`;
}

function explanationLines({
  method,
  path,
  region,
  enabled,
  passes,
  deciding,
  matching,
}: LimitExplanation): string[] {
  const outcome = passes ? "passes" : "is refused with 429";
  const rows = matching.map(({ row, used, count, seconds, decides, next_passes_at }) => [
    decides ? "decides" : "",
    row,
    `${used} of ${count} in ${seconds} s`,
    `next passes at ${next_passes_at}`,
  ]);
  return [
    `${method} ${path} (${region}) ${outcome}${enabled ? "" : "; rate limits are off"}${deciding === null ? "; no row matches" : ""}`,
    ...aligned(rows),
  ];
}
