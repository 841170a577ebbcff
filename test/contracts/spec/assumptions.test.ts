import { describe, expect, test } from "vitest";
import type { Assumption } from "../../../contracts/spec/assumption.ts";
import { ASSUMPTIONS, type AssumptionId } from "../../../contracts/spec/assumptions.ts";
import { LIMITS, TIMINGS } from "../../../contracts/spec/limits.ts";
import { OPERATIONS } from "../../../contracts/spec/operations.ts";
import { REQUIREMENT_IDS, REQUIREMENTS } from "../../../contracts/spec/requirements.ts";

const ENTRIES = Object.entries(ASSUMPTIONS) as [AssumptionId, Assumption][];

describe("the assumptions", () => {
  test.each(ENTRIES)("%s has a requirement and a reason", (id, row) => {
    expect(id).toMatch(/^(?:platform|agent|destination|export|ingest|query|rate_limit)\.[a-z0-9_]+$/);
    expect(REQUIREMENT_IDS).toContain(row.requirement);
    expect(row.reason).toMatch(/^[A-Z].+\.$/);
  });

  test.each(ENTRIES)("%s offers what it can really be", (_, row) => {
    expect(row.alternatives ?? []).not.toContain(row.choice);
    if (row.alternatives) expect(row.alternatives.length).toBeGreaterThan(0);
    if (row.observed !== undefined) expect(row.alternatives ?? []).toContain(row.observed);
  });

  test("some can be switched under their own name", () => {
    const switchable = ENTRIES.filter(([, row]) => row.switchable);
    expect(
      Object.fromEntries(switchable.map(([id, { choice, observed }]) => [id, [choice, observed]])),
    ).toEqual({
      "platform.success_status": [200, undefined],
      "platform.error_body": ['{"detail": string}', undefined],
      "platform.invalid_request": [422, undefined],
      "platform.unknown_id": [404, undefined],
      "platform.conflict": [409, undefined],
      "platform.method_not_allowed": [405, undefined],
      "platform.content_type": [415, undefined],
      "platform.missing_key": [401, undefined],
      "platform.missing_tenant": [422, undefined],
      "platform.foreign_workspace": [403, undefined],
      "platform.timestamp_suffix": ["Z", "+00:00"],
      "platform.timestamp_digits": [6, undefined],
      "platform.version_gate": [422, undefined],
      "platform.newer_features": ["refused", "accepted"],
      "platform.unlisted_path": [404, undefined],
      "destination.error_status": [400, undefined],
      "destination.error_prefix": ["Failed to validate S3 destination: ", undefined],
      "destination.test_file_key": ["tmp/", "<prefix>/tmp/"],
      "destination.include_bucket_in_prefix_default": [false, true],
      "destination.delete_in_use": ["delete", "refuse"],
      "export.unknown_project": [404, undefined],
      "export.list_order": ["newest first", undefined],
      "export.cancel_final": [409, undefined],
      "export.v1_column_types": ["times without zone, costs as doubles, lists and JSON as text", undefined],
      "export.file_paths": ["<bucket>/<key>", undefined],
      "export.store_outage": ["infrastructure interruption", undefined],
      "export.errors_when_none": ["{}", "null"],
      "export.filter_fields": ["every column", "some refused"],
      "export.status_casing": ["upper", "title"],
      "export.default_format_version": ["v1", undefined],
      "export.v2_beta_folder": ["runs", "resource=runs"],
      "export.partition_padding": ["padded", "unpadded"],
      "export.default_compression": ["snappy", "zstandard"],
      "ingest.accepted_status": [202, undefined],
      "ingest.roll_up": ["children", undefined],
      "ingest.multipart_lengths": ["optional", "required"],
      "export.row_order": ["by start_time, then id", undefined],
      "query.order": ["the latest first", undefined],
      "query.run_times": ["Z", "none"],
      "rate_limit.status": [429, undefined],
      "rate_limit.trigger_methods": ["DELETE", undefined],
      "agent.error_body": ["a JSON string", '{"detail": string}'],
      "agent.authentication": ["optional", undefined],
      "agent.invalid_request": [422, undefined],
      "agent.unknown_id": [404, undefined],
      "agent.success_status": [200, undefined],
      "agent.multitask_reject": [409, undefined],
      "agent.webhook_refusal": [422, undefined],
      "agent.cron_empty_change": [400, undefined],
      "agent.running_filter": [422, "accepted"],
      "agent.list_order": ["newest first", undefined],
      "agent.both_spellings": ["/thread and /threads", "/threads"],
      "agent.thread_fields": ["the seven shown", "with interrupts"],
      "agent.thread_ttl": ["on the virtual clock", undefined],
      "agent.thread_ttl_start": ["the request that sets it", undefined],
      "agent.thread_ttl_sweep": ["when it has passed", undefined],
      "agent.thread_ttl_busy": ["when its runs have ended", undefined],
      "agent.multitask_default": ["enqueue", undefined],
      "agent.unknown_graph": [404, 422],
      "agent.webhook_local_addresses": ["allow", undefined],
    });
  });

  const chosen = REQUIREMENT_IDS.filter((id) => REQUIREMENTS[id].kind === "A");
  /** Statements that leave a part open. */
  const open = "2.1-4 2.3-1 2.4-3 2.4-6 2.4-13 2.5-4 3.3-5 4-1 4.8-1 5-1 7.3-7 8.3-2 9-2".split(" ");

  test.each([...chosen, ...open])(
    "requirement %s, which leaves something open, has an entry",
    (requirement) => {
      expect(ENTRIES.filter(([, row]) => row.requirement === requirement)).not.toEqual([]);
    },
  );

  test("agree with the limits whose conflicts they decide", () => {
    const rows = [
      ...Object.entries(LIMITS).map(([key, limit]) => [`limits.${key}`, limit] as const),
      ...Object.entries(TIMINGS).map(([key, limit]) => [`timings.${key}`, limit] as const),
    ];
    for (const [id, row] of ENTRIES) {
      const [, limit] = rows.find(([setting]) => setting === row.setting) ?? [];
      if (limit && row.requirement === "8.2-5") {
        expect([id, row.choice, row.alternatives]).toEqual([
          id,
          limit.value,
          ["conflict" in limit && limit.conflict],
        ]);
      }
    }
  });

  test("every property that names one names one that exists", () => {
    const inSchemas = [...JSON.stringify(OPERATIONS).matchAll(/"x-assumption":"([^"]+)"/g)].map(
      ([, id]) => id,
    );
    expect(inSchemas.length).toBeGreaterThan(5);
    for (const id of inSchemas) expect(ASSUMPTIONS).toHaveProperty([id as string]);
  });
});
