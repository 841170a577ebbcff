import { mutationsOf } from "./mutation.ts";

/** A rule of exports that the emulator breaks. */
export const EXPORT_MUTATIONS = [
  ...mutationsOf(
    "emulator/subjects/bulk-exports/layout.ts",
    ["export_id is spelled export", "`export_id=$", "`export=$", "2.8/layout"],
    ["tenant_id is spelled tenant", "`tenant_id=$", "`tenant=$", "2.8/layout"],
    ["session_id is spelled project", "`session_id=$", "`project=$", "2.8/layout"],
    ["no segment runs", ': "runs",', ': "rows",', "2.8/layout"],
    ["months are spelled m", "`month=$", "`m=$", "2.8/layout"],
    ["days count from zero", "`day=${pad(day)}`", "`day=${pad(day - 1)}`", "2.8/layout"],
    [
      "the bucket leads every path",
      "return location.includeBucketInPrefix && !hasBucket",
      "return !named",
      "2.4/include-bucket",
    ],
  ),
  ...mutationsOf(
    "emulator/subjects/bulk-exports/run.ts",
    ["errors stand under attempt_<n>", "`retry_$", "`attempt_$", "4.5/failed-run"],
    [
      "a resumed run begins again",
      "    attempt: run.attempt + 1,\n",
      "    attempt: run.attempt + 1,\n    latest_cursor: null,\n",
      "7.3/interruption",
    ],
  ),
  ...mutationsOf(
    "emulator/subjects/bulk-exports/operations.ts",
    [
      "TIMEDOUT is spelled TIMED_OUT",
      "    : status;",
      '    : (status.replace("TIMEDOUT", "TIMED_OUT") as never);',
      "7.3/workflow-timeout",
    ],
    [
      "CREATED is spelled PENDING",
      "    : status;",
      '    : (status.replace("CREATED", "PENDING") as never);',
      "3.1/statuses",
    ],
    [
      "CANCELLED is spelled CANCELED",
      "    : status;",
      '    : (status.replace("CANCELLED", "CANCELED") as never);',
      "3.1/cancel-created",
    ],
    [
      "a spawned export names no source",
      "source_bulk_export_id: record.source_bulk_export_id",
      "source_bulk_export_id: null",
      "3.3/windows",
    ],
  ),
  ...mutationsOf(
    "emulator/subjects/bulk-exports/schedule.ts",
    [
      "a schedule does not hand down its filter",
      "    end_time: end,\n",
      "    end_time: end,\n    filter: null,\n",
      "3.3/handed-down",
    ],
    [
      "a schedule does not hand down its columns",
      "    end_time: end,\n",
      "    end_time: end,\n    export_fields: null,\n",
      "3.3/handed-down",
    ],
    [
      "a schedule does not hand down its format",
      "    end_time: end,\n",
      '    end_time: end,\n    format_version: "v1",\n',
      "3.3/handed-down",
    ],
    [
      "the next window begins at the time of day",
      "scheduleSpawn(turn, schedule, end);",
      "scheduleSpawn(turn, schedule, formatInstant(turn.now));",
      "3.3/windows",
    ],
  ),
  ...mutationsOf("emulator/subjects/versions.ts", [
    "version gates are ignored",
    "if (missingKey)",
    "if (missingKey && false)",
    "2.5/export-fields-service",
  ]),
  ...mutationsOf(
    "emulator/subjects/bulk-exports/create.ts",
    [
      "the gate of scheduled exports is ignored",
      'requireFeature(versions, "scheduled_exports")',
      "undefined",
      "2.5/scheduled-service",
    ],
    [
      "a scheduled export may have an end",
      "if (input.end_time != null)\n      throw",
      "if (false)\n      throw",
      "2.5/required-fields",
    ],
    ["filters are forgotten", "filter: input.filter ?? null", "filter: null", "2.5/filter"],
  ),
  ...mutationsOf(
    "emulator/subjects/destinations/create.ts",
    [
      "the gate of session tokens is ignored",
      'if (credentials?.session_token) requireFeature(versions, "session_token");',
      "",
      "2.4/session-token-service",
    ],
    [
      "no destination needs credentials",
      '!credentials && role == null && deployment === "hosted"',
      "false",
      "2.4/hosted-environment",
    ],
    [
      "credentials are stored in clear text",
      "turn.ports.secrets.seal(JSON.stringify(Object.fromEntries(input)))",
      'turn.ports.secrets.seal(JSON.stringify(Object.fromEntries(input))),\n    note: Object.values(credentials ?? {}).join(" ")',
      "2.4/at-rest",
    ],
  ),
  ...mutationsOf("emulator/storage/secrets.ts", [
    "secrets are only encoded",
    "    seal(plain) {\n",
    "    seal(plain) {\n      if (plain) return `clear:${plain}`;\n",
    "2.4/at-rest",
  ]),
  ...mutationsOf("emulator/subjects/destinations/view.ts", [
    "credentials are shown",
    "    credentials_keys,\n    created_at",
    "    credentials_keys,\n    ...({ credentials: record.credentials } as object),\n    created_at",
    "4.2/create",
  ]),
  ...mutationsOf("emulator/storage/parquet/schema.ts", [
    "UTC is lost in the footer",
    "isAdjustedToUTC: true",
    "isAdjustedToUTC: false",
    "2.5/v2-types",
  ]),
  ...mutationsOf("emulator/storage/parquet/values.ts", [
    "times are an hour late",
    "epochMicroseconds(String(value))",
    "epochMicroseconds(String(value)) + 3_600_000_000n",
    "2.7/every-column",
  ]),
] as const;

/** A rule of webhooks, runs and callers that the emulator breaks. */
export const OTHER_MUTATIONS = [
  ...mutationsOf(
    "emulator/subjects/webhooks/policy.ts",
    [
      "a wildcard admits the domain itself",
      "host.endsWith(domain.slice(1))",
      "`.${host}`.endsWith(domain.slice(1))",
      "6.1/allowed-domains",
    ],
    [
      "a wildcard admits every host that ends so",
      "host.endsWith(domain.slice(1))",
      "host.endsWith(domain.slice(2))",
      "6.1/allowed-domains",
    ],
    [
      "a domain admits its subdomains",
      ": host === domain;",
      ": host === domain || host.endsWith(`.${domain}`);",
      "6.1/allowed-domains",
    ],
    [
      "require_https is ignored",
      "if (policy.requireHttps &&",
      "if (false && policy.requireHttps &&",
      "6.1/require-https",
    ],
    ["http counts as port 443", '"http:": 80', '"http:": 443', "6.1/allowed-ports"],
    ["disable_loopback is ignored", "if (policy.disableLoopback)", "if (false)", "6.1/disable-loopback"],
    [
      "a URL may be one longer",
      "text.length > policy.maxUrlLength",
      "text.length > policy.maxUrlLength + 1",
      "6.1/max-url-length",
    ],
    [
      "a URL may not be as long",
      "text.length > policy.maxUrlLength",
      "text.length >= policy.maxUrlLength",
      "6.1/max-url-length",
    ],
  ),
  ...mutationsOf(
    "emulator/subjects/webhooks/deliver.ts",
    ["disable_webhooks is ignored", "if (webhooks.disabled)", "if (false)", "6.1/disabled"],
    [
      "disable_webhooks is ignored for crons",
      "if (webhooks.disabled)",
      'if (webhooks.disabled && !("cron_id" in run.metadata))',
      "6.1/disabled",
    ],
    [
      "the payload still says running",
      "const view = runView(settings, run);",
      'const view = runView(settings, { ...run, status: "running" });',
      "6/each-operation",
      "6/statuses",
    ],
    [
      "the payload has no kwargs",
      "const view = runView(settings, run);",
      "const view = { ...runView(settings, run), kwargs: {} };",
      "6/each-operation",
    ],
  ),
  ...mutationsOf("emulator/config/settings.ts", [
    "a key of webhooks under another name",
    '"webhooks.url.max_url_length": webhookSetting(',
    '"webhooks.url.max_length": webhookSetting(',
    "6.1/keys",
  ]),
  ...mutationsOf(
    "emulator/config/webhook-settings.ts",
    ["any variable may be referred to", "if (!variable.startsWith(prefix))", "if (false)", "6.1/env"],
    ["a missing variable is empty", "if (variableValue === undefined)", "if (false)", "6.1/env"],
  ),
  ...mutationsOf(
    "emulator/subjects/rate-limits/identity.ts",
    [
      "users are counted without their address",
      "bounded(userId) + SEPARATOR + address",
      "bounded(userId)",
      "8.5/user-address",
    ],
    [
      "all keys are counted together",
      "apiKey === undefined ? undefined : bounded(apiKey)",
      'apiKey === undefined ? undefined : bounded("key")',
      "8.5/repos-key",
    ],
  ),
  ...mutationsOf(
    "emulator/subjects/agent/view.ts",
    ["a run has no assistant_id", "    assistant_id: run.assistant_id,\n", "", "2.1/fields"],
    ["a thread has no config", "    config: thread.config,\n", "", "2.2/fields"],
  ),
  ...mutationsOf("emulator/subjects/agent/threads.ts", [
    "a thread begins as busy",
    'status: "idle",\n    checkpoint_id: null',
    'status: "busy",\n    checkpoint_id: null',
    "2.2/fields",
  ]),
] as const;
