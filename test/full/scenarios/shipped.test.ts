import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openInProcess } from "../../../bin/replay/in-process.ts";
import { writeReport } from "../../../contracts/report/write.ts";
import { readScenario } from "../../../scenarios/document.ts";
import type { Environments } from "../../../scenarios/environment.ts";
import { type Outcome, replay, scenarioFiles } from "../../../scenarios/replay.ts";
import { replayReport } from "../../../scenarios/reports.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * What each scenario is about, and what breaks it: a fault, a setting or an order in its text that is put
 * another way. A scenario that still passes would not check anything.
 */
const BREAKS: Readonly<Record<string, readonly [string, string]>> = {
  "column-drift": ["export_fields: [id, name, start_time, total_tokens]", "export_fields: [id, name]"],
  "crash-resume-no-dup": ["crash: true", "stall: PT1S"],
  "double-text": ["multitask_strategy: rollback", "multitask_strategy: enqueue"],
  "endpoint-matrix": ["include_bucket_in_prefix: true", "include_bucket_in_prefix: false"],
  "forty-six-days-queue": ["2026-02-16T00:00:00Z", "2026-02-15T00:00:00Z"],
  "four-destination-errors": ["deny: [put]", "deny: [list]"],
  "late-run-missed": ["06:11:00Z", "06:09:00Z"],
  "legacy-endpoints-end": ["advance: PT1M", "advance: PT1S"],
  "list-runs-paging": ["repeat: 25", "repeat: 24"],
  "one-partition-fails": ["times: 21", "times: 20"],
  "partial-files-while-running": ["stall: PT1H", "stall: PT1S"],
  "poller-final-statuses": ["preset: workflow_timeout", "preset: worker_crash"],
  "put-only-key": ["allow: [put]", "allow: [put, delete]"],
  "rate-limit-without-loss": ["enabled: true", "enabled: false"],
  "revoked-credentials-midway": [
    "target: s3, match: { at: checkpoint.saved, nth: 2 }, then: { delete_credential: emulator }",
    "target: worker, match: { at: checkpoint.saved, nth: 2 }, then: { crash: true }",
  ],
  "run-timeout-and-workflow-timeout": ["preset: workflow_timeout", "preset: run_timeout"],
  "running-is-no-filter": ["status=running", "status=pending"],
  "schedule-cancel-orphans": ["interval_hours: 168", "interval_hours: 24"],
  "schema-torture": ["torture.json", "support-agent.json"],
  "sixteen-exports-queue": ["repeat: 16", "repeat: 15"],
  "spawned-run-schedule": ["interval_hours: 6", "interval_hours: 5"],
  "webhook-outage": ["then: { status: 500 }", "then: { delay: PT1S }"],
  "webhook-twice-and-late": ["duplicate: 1", "duplicate: 2"],
  "webhook-url-policy": ["max_url_length: 100", "max_url_length: 1000"],
};

let copy: string;
let environments: Environments;

beforeAll(() => {
  environments = openInProcess();
  copy = mkdtempSync(join(tmpdir(), "scenarios-"));
  for (const folder of ["scenarios/parts", "fixtures/traces"])
    cpSync(join(ROOT, folder), join(copy, folder), { recursive: true });
  mkdirSync(join(copy, "scenarios/shipped"));
});

afterAll(async () => {
  rmSync(copy, { recursive: true, force: true });
  await environments.close();
});

async function played(file: string): Promise<Outcome> {
  const [outcome] = await replay([readScenario(file)], { cwd: ROOT, jobs: 1, environments });
  if (outcome === undefined) throw new Error(`${file} was not played`);
  return outcome;
}

const fileOf = (name: string) => join(ROOT, "scenarios/shipped", `${name}.scenario.yaml`);

describe("the shipped scenarios", () => {
  it("are all here, and at least twenty", () => {
    const files = scenarioFiles([join(ROOT, "scenarios/shipped")], ROOT);
    expect(files).toEqual(Object.keys(BREAKS).map(fileOf));
    expect(files.length).toBeGreaterThanOrEqual(20);
  });

  it.each(Object.keys(BREAKS))("%s passes", async (name) => {
    const outcome = await played(fileOf(name));
    expect(writeReport(replayReport([outcome], ROOT), "pretty")).toMatch(/^ok /);
    expect(outcome.warnings).toEqual([]);
    expect(outcome.sentence).toMatch(/^[A-Z].*\.$/);
  });

  it.each(Object.entries(BREAKS))(
    "%s fails when what it is about is broken",
    async (name, [right, wrong]) => {
      const text = readFileSync(fileOf(name), "utf8");
      expect(text).toContain(right);
      const file = join(copy, "scenarios/shipped", `${name}.scenario.yaml`);
      writeFileSync(file, text.replace(right, wrong));
      const outcome = await played(file);
      expect(outcome.verdict).toBe("failed");
      expect(outcome.failure?.differences.join("\n")).toMatch(/expected|missing|too many/);
    },
  );
});
