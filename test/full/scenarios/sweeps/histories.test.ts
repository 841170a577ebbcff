import fc from "fast-check";
import { expect, it } from "vitest";
import { explore } from "../../../../scenarios/exploration.ts";
import { explorationReport } from "../../../../scenarios/exploration-reports.ts";
import { SWEEP_NAMES, sweep } from "../../../../scenarios/sweeps/sweep.ts";
import { iso } from "../../../../scenarios/sweeps/times.ts";
import type { Subject } from "../../../../scenarios/trials.ts";
import { useScenarioFolder } from "../../../scenarios/scenario-folder.ts";
import { subjectOf } from "../../../support/subjects.ts";

const scenarios = useScenarioFolder();

const RANDOM = { numRuns: 100, seed: 29, endOnFailure: true };

const play = (
  lines: readonly string[],
  names: Parameters<typeof sweep>[0],
  perSubject: number,
  maxRuns = 9,
) => {
  const subject = subjectOf(scenarios.write("a", ...lines), scenarios.environments);
  return explore([subject], sweep(names), { jobs: 1, maxRuns, perSubject });
};

const WINDOW = "start_time: 2026-02-28T00:00:00Z, end_time: 2026-03-01T00:00:00Z";
const KEY = "access_key_id: emulator, secret_access_key: emulator-secret";

const destinationIn = (bucket: string) => [
  "  - request: POST /api/v1/bulk-exports/destinations",
  `    body: { destination_type: s3, display_name: D, config: { bucket_name: ${bucket}, prefix: x, region: us-east-1 }, credentials: { ${KEY} } }`,
  `    capture: { ${bucket}: id }`,
];

const exportTo = (bucket: string) => [
  "  - request: POST /api/v1/bulk-exports",
  `    body: { bulk_export_destination_id: "\${${bucket}}", session_id: "\${session}", ${WINDOW} }`,
];

it("a baseline is broken exactly if files of one of its exports are lost, whatever is swept", async () => {
  const bucket = fc.constantFrom("traces", "second");
  const exports = fc.array(bucket, { minLength: 1, maxLength: 3 });
  const removed = fc.uniqueArray(bucket, { maxLength: 1 });
  const names = fc.uniqueArray(fc.constantFrom(...SWEEP_NAMES), { minLength: 1, maxLength: 2 });
  const property = fc.asyncProperty(exports, removed, names, async (exportBuckets, lost, sweepNames) => {
    const lines = [
      "given:",
      "  - seed: { traces: { count: 5, project: shop, from: 2026-02-28T00:00:00Z, to: 2026-03-01T00:00:00Z } }",
      "    capture: { session: session_id }",
      "  - { control: POST /s3/buckets, body: { name: second } }",
      ...["traces", "second"].flatMap(destinationIn),
      "when:",
      ...exportBuckets.flatMap(exportTo),
      "  - advance: PT1H",
      ...lost.map((name) => `  - { control: DELETE /s3/buckets/${name} }`),
    ];
    const report = await play(lines, sweepNames, 1, 0);
    const isWrong = exportBuckets.some((name) => lost.includes(name));
    expect(report.results).toEqual([]);
    expect(report.refused.map(({ why }) => why)).toEqual(
      isWrong ? [expect.stringContaining("an export is already wrong: export")] : [],
    );
    expect(explorationReport(report, scenarios.folder).pretty().join("\n").includes("BROKEN")).toBe(isWrong);
  });
  await fc.assert(property, RANDOM);
});

const HALF_HOUR = 1_800_000;
const START = Date.UTC(2026, 1, 1);

/** 0: a row at midnight, 1: at another edge, 2: next to an edge, 3: the clock stops. */
function rankOf(trial: string): number {
  if (trial.startsWith("clock stops")) return 3;
  return !trial.includes(": a row at ") ? 2 : trial.endsWith("T00:00:00.000Z") ? 0 : 1;
}

it("a sample of edges takes rows at midnight first, then at other edges, then next to them, and clock stops last", async () => {
  const window = fc.record({ from: fc.nat(200), length: fc.integer({ min: 1, max: 100 }) });
  const windows = fc.uniqueArray(window, { minLength: 1, maxLength: 3, selector: ({ from }) => from });
  const due = fc.uniqueArray(fc.nat(300), { maxLength: 6 });
  const property = fc.asyncProperty(
    windows,
    due,
    fc.integer({ min: 1, max: 50 }),
    async (all, stops, most) => {
      const at = (place: number) => START + place * HALF_HOUR;
      const exports = all.map(({ from, length }) => {
        const order = { start_time: iso(at(from)), end_time: iso(at(from + length)), interval_hours: null };
        const ids = { bulk_export_destination_id: "d", session_id: "s", source_bulk_export_id: null };
        return {
          id: `${from}`,
          status: "COMPLETED",
          rows: 1,
          problems: [],
          violations: [],
          order: { ...order, ...ids },
        };
      });
      const baseline = { exports, occasions: new Map(), turns: [], due: stops.map(at) };
      const subject: Subject = {
        ...{ name: "a", file: "a.yaml", again: (trial) => trial },
        play: async () => ({ failure: undefined, found: baseline as never }),
      };
      const { notRun } = await explore([subject], sweep(["edges"]), {
        jobs: 1,
        maxRuns: 0,
        perSubject: most,
      });
      const ranksOf = (rows: typeof notRun) => rows.map(({ trial }) => rankOf(trial)).sort();
      const sample = notRun.filter(({ why }) => why === "--max-runs");
      expect(ranksOf(sample)).toEqual(ranksOf(notRun).slice(0, most));
      for (const { from, length } of all) {
        const midnight = at(Math.ceil(from / 48) * 48);
        if (midnight > at(from + length)) continue;
        expect(notRun.some(({ trial }) => trial.endsWith(`a row at ${iso(midnight)}`))).toBe(true);
        expect(ranksOf(sample)[0]).toBe(0);
      }
    },
  );
  await fc.assert(property, RANDOM);
});

const STEPS = {
  run: "  - { request: POST /runs, body: { assistant_id: agent, webhook: /_emulator/inbox/box } }",
  thread: "  - { request: POST /threads, body: { metadata: { of: me } } }",
  advance: "  - advance: PT1M",
} as const;

it("a scenario passes a kill after any turn; only an inbox may differ, as documented", async () => {
  const steps = fc.array(fc.constantFrom<keyof typeof STEPS>("run", "thread", "advance"), { maxLength: 5 });
  const verdicts = new Set<string>();
  const property = fc.asyncProperty(steps, fc.boolean(), async (more, readsInbox) => {
    const names = ["run" as const, ...more];
    const count = (name: keyof typeof STEPS) => names.filter((each) => each === name).length;
    const lines = [
      ...["when:", ...names.map((name) => STEPS[name]), "  - advance: PT1H", "then:"],
      `  - { request: POST /threads/count, body: { metadata: { of: me } }, expect: { body: ${count("thread")} } }`,
      `  - { control: GET /webhooks/inbox/box, expect: { body: { $length: ${count("run")} } } }`,
    ];
    const { results, refused } = await play(readsInbox ? lines : lines.slice(0, -1), ["crash"], 3);
    expect([results.length > 0, refused]).toEqual([true, []]);
    for (const { verdict, differences } of results) {
      verdicts.add(verdict);
      expect([verdict, differences]).toEqual([
        readsInbox && differences.length > 0 ? "not kept" : "held",
        differences,
      ]);
    }
  });
  await fc.assert(property, RANDOM);
  expect([...verdicts].sort()).toEqual(["held", "not kept"]);
});
