import { describe, expect, it } from "vitest";
import { writeReport } from "../../../../contracts/report/write.ts";
import { type ExplorationOptions, explore } from "../../../../scenarios/exploration.ts";
import { explorationReport } from "../../../../scenarios/exploration-reports.ts";
import type { Subject } from "../../../../scenarios/trials.ts";
import {
  type VariationMode,
  variationByName,
  variationTrials,
} from "../../../../scenarios/variations/variations.ts";
import { useScenarioFolder } from "../../../scenarios/scenario-folder.ts";
import { subjectOf } from "../../../support/subjects.ts";

const scenarios = useScenarioFolder();

const ROWS = ["a", "b"].map((digit, index) => ({
  id: `018f4f00-0000-7000-8000-00000000000${digit}`,
  name: digit,
  run_type: "chain",
  start_time: `2026-02-27T1${index}:00:00Z`,
  session_name: "shop",
}));

const ORDER = [
  "given:",
  "  - request: POST /threads",
  "    body: {}",
  "    capture: { thread: thread_id }",
  "  - repeat: 2",
  "    steps:",
  "      - request: POST /threads/${thread}/runs",
  "        body: { assistant_id: agent, multitask_strategy: enqueue }",
  "        capture: { newest: run_id }",
  "      - advance: PT1H",
  "then:",
  "  - request: GET /threads/${thread}/runs",
  '    expect: { body: { 0: { run_id: "${newest}" } } }',
];

function subject(name: string, ...lines: readonly string[]): Subject {
  return subjectOf(scenarios.write(name, ...lines), scenarios.environments);
}

function vary(
  subjects: readonly Subject[],
  mode: VariationMode = "each",
  options: Partial<ExplorationOptions> = {},
) {
  return explore(subjects, variationTrials(mode, options.only), { jobs: 1, maxRuns: 100, ...options });
}

describe("every variation", () => {
  it("of the choices that a scenario depends on is tried, and the one that it relies on is named", async () => {
    const report = await vary([subject("order", ...ORDER)]);
    const different = report.results.filter(({ verdict }) => verdict !== "held");
    expect(different.map(({ trial, failure }) => [trial, failure?.label])).toEqual([
      ["agent.list_order=oldest first", "then[0]"],
    ]);
    expect(different[0]?.means).toBe("it relies on agent.list_order = newest first (§4.1, not specified)");
    const trials = report.results.map(({ trial }) => trial);
    expect(trials).toContain("agent.thread_fields=with interrupts");
    // It has no export.
    expect(trials.filter((name) => name.startsWith("export."))).toEqual([]);
    expect(writeReport(explorationReport(report, scenarios.folder), "pretty")).toContain(
      "order.scenario.yaml:14: then[0]",
    );
  });

  it("names the statuses that a client compares with one number", async () => {
    const lines = [
      "then:",
      "  - request: POST /threads",
      "    body: {}",
      "    expect: { status: 200 }",
      "  - request: GET /api/v1/bulk-exports/${thread}",
      "    expect: { status: 404 }",
      "  - request: POST /api/v1/bulk-exports",
      "    body: {}",
      "    expect: { status: 422 }",
      "  - request: POST /threads",
      '    body: { thread_id: "${thread}" }',
      "  - request: POST /threads",
      '    body: { thread_id: "${thread}" }',
      "    expect: { status: 409 }",
    ].map((line) => line.replace("${thread}", "00000000-0000-4000-8000-00000000dead"));
    const { results } = await vary([subject("statuses", ...lines)]);
    const different = results.filter(({ verdict }) => verdict !== "held");
    expect(different.map(({ trial, failure }) => [trial, failure?.label])).toEqual([
      ["platform.invalid_request=400", "then[2]"],
      ["platform.unknown_id=422", "then[1]"],
      ["platform.conflict=422", "then[4]"],
      ["agent.success_status=201", "then[0]"],
    ]);
  });

  it("names the order of the rows of a query and of a file on which a client relies", async () => {
    const lines = [
      "given:",
      "  - request: POST /runs/batch",
      `    body: { post: ${JSON.stringify(ROWS)} }`,
      "  - request: GET /sessions?name=shop",
      "    capture: { session: 0.id }",
      "  - request: POST /api/v1/bulk-exports/destinations",
      "    body:",
      "      destination_type: s3",
      "      display_name: D",
      "      config: { bucket_name: traces, prefix: x, region: us-east-1 }",
      "      credentials: { access_key_id: emulator, secret_access_key: emulator-secret }",
      "    capture: { destination: id }",
      "  - request: POST /api/v1/bulk-exports",
      '    body: { bulk_export_destination_id: "${destination}", session_id: "${session}", start_time: "2026-02-27T00:00:00Z", end_time: "2026-02-28T00:00:00Z" }',
      "    capture: { export: id }",
      "  - advance: PT1H",
      "then:",
      "  - request: POST /runs/query",
      '    body: { session: ["${session}"] }',
      '    expect: { body: { "runs.*.name": [b, a] } }',
      '  - expect: { parquet: { export: "${export}", values: { name: [a, b] } } }',
    ];
    const { results } = await vary([subject("rows", ...lines)], "each", { maxRuns: 300 });
    const orders = results.filter(({ trial }) => /^(query\.order|export\.row_order)=/.test(trial));
    expect(orders.map(({ trial, failure }) => [trial, failure?.label])).toEqual([
      ["export.row_order=the latest first in each row group", "then[1]"],
      ["query.order=the oldest first", "then[0]"],
    ]);
  });

  it("reduces pairs to the one choice that decides", async () => {
    const report = await vary([subject("order", ...ORDER)], "pairs");
    const different = report.results.filter(({ verdict }) => verdict !== "held");
    expect(different.map(({ trial }) => trial)).toEqual(["agent.list_order=oldest first"]);
  });

  it("is the observed profile as one", async () => {
    const [result] = (await vary([subject("order", ...ORDER)], "observed")).results;
    expect(result).toMatchObject({ trial: "profile=observed", verdict: "held" });
    expect(result?.differs).toContain("platform.timestamp_suffix is +00:00, not Z");
  });

  it("is repeated by its name", async () => {
    const only = "agent.list_order=oldest first, platform.timestamp_suffix=+00:00";
    const { results } = await vary([subject("order", ...ORDER)], "each", { only });
    expect(results.map(({ trial }) => trial)).toEqual(["agent.list_order=oldest first"]);
    expect(variationByName("agent.list_order=oldest")).toBeUndefined();
    expect(variationByName("agent.nothing=1")).toBeUndefined();
  });

  it("starts from the values that the scenario sets itself", async () => {
    const settings = 'settings: { assumptions: { "agent.list_order": oldest first } }';
    const { results } = await vary([subject("order", settings, ...ORDER.slice(0, -1))]);
    expect(results.map(({ trial }) => trial)).toContain("agent.list_order=newest first");
  });
});

describe("variations that are not run", () => {
  it("are reported with the bound that excludes them", async () => {
    const report = await vary([subject("order", ...ORDER)], "each", { maxRuns: 2 });
    expect(report.results).toHaveLength(2);
    expect(report.notRun.every(({ why }) => why === "--max-runs")).toBe(true);
    expect(report.notRun.length).toBeGreaterThan(3);
    const late = await vary([subject("order", ...ORDER)], "each", { budgetMs: 0 });
    expect(late).toMatchObject({ results: [], notRun: [{ why: "--budget" }, ...late.notRun.slice(1)] });
  });

  it("is a scenario that does not pass as it is", async () => {
    const failing = subject("bad", "then:", "  - request: GET /ok", "    expect: { status: 201 }");
    const report = await vary([failing, subject("order", ...ORDER)], "each", { maxRuns: 1 });
    expect(report.refused).toEqual([
      {
        subject: "bad",
        why: "it does not pass without --vary (then[0]: status: expected 201, found 200); make it pass first",
      },
    ]);
    expect(report.results.map((each) => each.subject)).toEqual(["order"]);
  });

  it("are the trials of other parts, and all parts together are all of them", async () => {
    const parts = [1, 2, 3].map((index) =>
      vary([subject("order", ...ORDER)], "each", { shard: { index, count: 3 } }),
    );
    const names = (await Promise.all(parts)).flatMap(({ results }) => results.map(({ trial }) => trial));
    const whole = (await vary([subject("order", ...ORDER)])).results.map(({ trial }) => trial);
    expect([...names].sort()).toEqual([...whole].sort());
  });
});
