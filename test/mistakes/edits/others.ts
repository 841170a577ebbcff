import { edits, type Row } from "../row.ts";

/** Rules of runs, webhooks and callers that the emulator breaks. */
export const OTHER_EDITS: readonly Row[] = [
  ...edits(
    "emulator/subjects/webhooks/policy.ts",
    [
      "6.1/allowed-domains: a wildcard admits the domain itself",
      "host.endsWith(domain.slice(1))",
      "`.${host}`.endsWith(domain.slice(1))",
    ],
    [
      "6.1/allowed-domains: a wildcard admits every host that ends so",
      "host.endsWith(domain.slice(1))",
      "host.endsWith(domain.slice(2))",
    ],
    [
      "6.1/disable-loopback: disable_loopback refuses absolute URLs of this machine",
      "  const host = hostOf(url);\n",
      '  const host = hostOf(url);\n  if (policy.disableLoopback && mayBeOurs(host)) return refusal("loopback");\n',
    ],
  ),
  ...edits("emulator/subjects/webhooks/deliver.ts", [
    "6.1/disabled: disable_webhooks is ignored for crons",
    "if (webhooks.disabled)",
    'if (webhooks.disabled && !("cron_id" in run.metadata))',
  ]),
  ...edits("emulator/config/settings.ts", [
    "6.1/keys: a key of webhooks under another name",
    '"webhooks.url.max_url_length": webhookSetting(',
    '"webhooks.url.max_length": webhookSetting(',
  ]),
  ...edits(
    "emulator/config/webhook-settings.ts",
    ["6.1/env: any variable may be referred to", "if (!variable.startsWith(prefix))", "if (false)"],
    [
      "6.1/headers: only the first variable of a value is filled in",
      "headers[name] = template.replace(TEMPLATE, (",
      "headers[name] = template.replace(new RegExp(TEMPLATE.source), (",
    ],
    [
      "6.1/env: a prefix may be in the middle of a name",
      "!variable.startsWith(prefix)",
      "!variable.includes(prefix)",
    ],
    [
      "6.1/env: a prefix may have another case",
      "!variable.startsWith(prefix)",
      "!variable.toLowerCase().startsWith(prefix.toLowerCase())",
    ],
  ),
  ...edits("emulator/subjects/rate-limits/identity.ts", [
    "8.5/user-address: users are counted without their address",
    "bounded(userId) + SEPARATOR + address",
    "bounded(userId)",
  ]),
  ...edits("emulator/subjects/agent/operations/runs.ts", [
    "4.1/pairs: the status filter applies after the page",
    `      ...(query.status && { label: query.status }),
      offset: query.offset ?? 0,
      limit: query.limit ?? 10,
      newestFirst: settings.assumptions["agent.list_order"] === "newest first",
    });`,
    `      offset: query.offset ?? 0,
      limit: query.limit ?? 10,
      newestFirst: settings.assumptions["agent.list_order"] === "newest first",
    }).filter(({ status }) => !query.status || query.status === status);`,
  ]),
  ...edits("emulator/subjects/versions.ts", [
    "2.4/session-token-service-0.10.9: versions are compared as text",
    "const difference = (left[index] ?? 0) - (right[index] ?? 0);",
    "const difference = String(left[index] ?? 0) < String(right[index] ?? 0) ? -1 : left[index] === right[index] ? 0 : 1;",
  ]),
  ...edits("emulator/subjects/webhooks/effects/send-external.ts", [
    "6/statuses: a receiver that answers with a text gets its delivery again",
    '.toString("utf8")',
    '.toString("changed" as "utf8")',
  ]),
];
