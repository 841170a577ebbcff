import { describe, expect, test } from "vitest";
import * as AGENT from "../../contracts/facts/agent.ts";
import * as EXPORTS from "../../contracts/facts/bulk-exports.ts";
import { COLUMNS, EXPORT_ONLY_COLUMNS, folderOf } from "../../contracts/facts/columns.ts";
import { RATE_FACTS } from "../../contracts/facts/rate-limits.ts";
import { GATES, versionsAround } from "../../contracts/facts/versions.ts";
import { ENV_PREFIX_END, WEBHOOK_SETTINGS as TOLD } from "../../contracts/facts/webhooks.ts";
import * as lifecycle from "../../contracts/spec/agent/lifecycle.ts";
import { agentRun } from "../../contracts/spec/agent/resources.ts";
import { thread } from "../../contracts/spec/agent/thread-resources.ts";
import { type ColumnType, EXPORT_COLUMNS } from "../../contracts/spec/bulk-exports/columns.ts";
import { DESTINATION_ERRORS, EXPORT_FAILURES } from "../../contracts/spec/failures.ts";
import { EXPORT_MOVES, EXPORT_STATUSES } from "../../contracts/spec/lifecycle.ts";
import { INTERVAL_HOURS, LIMITS, LIST_RUNS, TIMINGS } from "../../contracts/spec/limits.ts";
import { OPERATIONS } from "../../contracts/spec/operations.ts";
import { RATE_LIMITS, type RateLimit } from "../../contracts/spec/rate-limits/rows.ts";
import { bulkExportCreate, destinationCreate } from "../../contracts/spec/resources.ts";
import { AGENT_API_VERSION, API_PREFIX, VERSION_GATES } from "../../contracts/spec/versions.ts";
import { WEBHOOK_SETTINGS } from "../../contracts/spec/webhooks/settings.ts";

/** A JSON Schema of an object, as far as it is compared. */
interface ObjectSchema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
}

interface Schema extends Partial<ObjectSchema> {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
}

const membersOf = (field: unknown) => (field as ObjectSchema).properties;
const requiredOf = (field: unknown) => (field as ObjectSchema).required;

/** What the facts call a member's type. */
const typeOf = ({ type, format }: Schema) => format ?? (type === "string" ? "text" : type);

/** What `table` says of the same keys, and nothing of its other columns. */
function project<Row extends object>(table: Readonly<Record<string, Row>>, key: keyof Row) {
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row[key]]));
}

describe("the facts of the agent server agree with its tables", () => {
  test("§2.1, §2.2: members of runs and threads, statuses and strategies", () => {
    const members = Object.entries(membersOf(agentRun)).map(([name, field]) => [name, typeOf(field)]);
    expect(Object.fromEntries(members)).toEqual(AGENT.RUN);
    expect(requiredOf(agentRun)).toEqual(AGENT.RUN_MEMBERS);
    expect(requiredOf(thread)).toEqual(AGENT.THREAD_MEMBERS);
    expect(lifecycle.AGENT_RUN_STATUS_NAMES).toEqual(AGENT.RUN_STATUSES);
    expect(lifecycle.LISTED_STATUSES).toEqual(AGENT.LISTED_STATUSES);
    expect(lifecycle.LISTED_STATUSES).not.toContain(AGENT.UNLISTED_STATUS);
    expect(lifecycle.MULTITASK_STRATEGIES).toEqual(AGENT.STRATEGIES);
    expect(lifecycle.THREAD_STATUSES[0]).toBe(AGENT.NEW_THREAD_STATUS);
  });

  test("§4.1, §4.8, §9.2: lists, operations that take a webhook, and the version of the description", () => {
    expect(LIST_RUNS).toMatchObject(AGENT.LIST_DEFAULTS);
    expect(OPERATIONS.listThreadRuns.refusals).toEqual(expect.arrayContaining([404, 422]));
    const places = Object.values(OPERATIONS).flatMap(({ method, path, ...row }) =>
      [path, ...("alsoAt" in row ? row.alsoAt : [])].map((place) => `${method} ${place}`),
    );
    for (const { path } of AGENT.STARTING_OPERATIONS) expect(places).toContain(`POST ${path}`);
    expect(AGENT_API_VERSION).toBe(AGENT.DESCRIPTION_VERSION);
  });
});

describe("the facts of bulk exports agree with their tables", () => {
  test.each(Object.entries(EXPORTS.EXPORT_OPERATIONS))("§4: %s", (id, [method, path]) => {
    expect(OPERATIONS[id as keyof typeof EXPORTS.EXPORT_OPERATIONS]).toMatchObject({ method, path });
    expect(path.startsWith(API_PREFIX)).toBe(true);
    expect(API_PREFIX).toBe(EXPORTS.API_PREFIX);
  });

  test("§2.4: what a destination cannot do without", () => {
    const { config, credentials, destination_type } = membersOf(destinationCreate);
    expect([
      ...requiredOf(destinationCreate),
      ...requiredOf(config).map((name) => `config.${name}`),
      ...requiredOf(credentials).map((name) => `credentials.${name}`),
    ]).toEqual(EXPORTS.DESTINATION_REQUIRED);
    expect(destination_type?.enum).toEqual([EXPORTS.DESTINATION_TYPE]);
  });

  test("§2.5: members of an export, and hours between two of a schedule", () => {
    const members = membersOf(bulkExportCreate);
    expect(Object.keys(members)).toEqual(expect.arrayContaining([...EXPORTS.EXPORT_REQUIRED]));
    expect([...requiredOf(bulkExportCreate), "end_time"]).toEqual(EXPORTS.EXPORT_REQUIRED);
    const { least, most } = EXPORTS.INTERVAL_HOURS;
    expect(members.interval_hours).toMatchObject({ minimum: least, maximum: most });
    expect(INTERVAL_HOURS).toMatchObject({ minimum: least, maximum: most });
    expect(members.format_version?.enum).toContain(EXPORTS.ENHANCED_FORMAT);
  });

  test("§3.1: statuses and moves", () => {
    expect(EXPORT_STATUSES).toEqual(EXPORTS.EXPORT_STATUSES);
    for (const move of EXPORTS.EXPORT_MOVES)
      expect(EXPORT_MOVES).toContainEqual(expect.objectContaining(move));
  });

  test("§3.3, §8.2, §8.3: limits, timeouts and retries", () => {
    const { runsAtOnce, exportsAtOnce, workflowHours } = EXPORTS.CONFLICTING;
    expect(LIMITS).toMatchObject({
      max_concurrent_runs_per_export: { value: EXPORTS.RUNS_AT_ONCE, conflict: runsAtOnce },
      max_concurrent_exports_per_workspace: { value: EXPORTS.EXPORTS_AT_ONCE, conflict: exportsAtOnce },
      run_timeout: { value: `PT${EXPORTS.RUN_HOURS}H` },
      workflow_timeout: { value: `PT${EXPORTS.WORKFLOW_HOURS}H`, conflict: `PT${workflowHours}H` },
      max_retries: { value: EXPORTS.RETRIES.most },
      retry_delay: { value: `PT${EXPORTS.RETRIES.delaySeconds}S` },
    });
    expect(TIMINGS.spawn_grace.value).toBe(`PT${EXPORTS.SPAWN_DELAY_MINUTES}M`);
  });

  test("§7: names of errors, and what is tried again", () => {
    expect(project(DESTINATION_ERRORS, "name")).toEqual(EXPORTS.DESTINATION_ERRORS);
    expect(project(EXPORT_FAILURES, "retry")).toEqual(EXPORTS.RETRIED_FAILURES);
  });
});

describe("the facts of files agree with the columns", () => {
  const KINDS: Readonly<Record<ColumnType, string>> = {
    string: "text",
    strings: "texts",
    json: "json",
    boolean: "boolean",
    timestamp: "time",
    local_timestamp: "time",
    int64: "count",
    double: "cost",
    decimal: "cost",
  };

  test("§2.7: names with what they hold, in the same order", () => {
    const kinds = Object.entries(EXPORT_COLUMNS).map(([name, { v2 }]) => [name, KINDS[v2]]);
    expect(kinds).toEqual(Object.entries(COLUMNS));
    expect(Object.keys(EXPORT_COLUMNS)).toEqual(expect.arrayContaining([...EXPORT_ONLY_COLUMNS]));
  });

  test("§2.8: the path of a day", () => {
    expect(folderOf({ exportId: "e", tenantId: "t", sessionId: "s" })).toBe(
      "export_id=e/tenant_id=t/session_id=s/runs/",
    );
  });
});

describe("the facts of versions, webhooks and rate limits agree with their tables", () => {
  test("§9.4: gates, and the versions before them", () => {
    const since = Object.entries(VERSION_GATES).map(([key, { feature: _, requirement: __, ...versions }]) => [
      key,
      versions,
    ]);
    expect(Object.fromEntries(since)).toEqual(GATES);
    expect(versionsAround(GATES.scheduled_exports.application)).toEqual({
      older: ["0.10.108", "0.10.99", "0.9.109"],
      newer: ["0.10.109", "0.10.1000", "0.100.0"],
    });
    expect(versionsAround(GATES.webhook_settings.agent_server)).toEqual({
      older: ["0.5.35", "0.5.9", "0.4.36"],
      newer: ["0.5.36", "0.5.100", "0.10.0"],
    });
  });

  test("§6.1: keys with their types and the version that brought them", () => {
    expect(Object.keys(WEBHOOK_SETTINGS)).toEqual(Object.keys(TOLD));
    for (const [key, row] of Object.entries(TOLD))
      expect(WEBHOOK_SETTINGS[key as keyof typeof TOLD], key).toMatchObject(row);
    expect(WEBHOOK_SETTINGS["webhooks.env_prefix"].initial.endsWith(ENV_PREFIX_END)).toBe(true);
  });

  test("§8.5: 29 rows with identity, counts, seconds and category, in the same order", () => {
    const rowsOfTable = Object.entries<RateLimit>(RATE_LIMITS).filter(([, { isNewer }]) => !isNewer);
    const rows = rowsOfTable.map(([id, { identity, count, seconds, category }]) => [
      id,
      { identity, us: { count: count.us, seconds }, eu: { count: count.eu, seconds }, category },
    ]);
    const factRows = Object.entries(RATE_FACTS).map(([id, { requests: _, ...row }]) => [id, row]);
    expect(rows).toEqual(factRows);
    expect(rows).toHaveLength(29);
  });
});
