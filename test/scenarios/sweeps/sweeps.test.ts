import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Environments } from "../../../scenarios/environment.ts";
import { type ExplorationOptions, explore } from "../../../scenarios/exploration.ts";
import { edgeSweep } from "../../../scenarios/sweeps/edge-sweep.ts";
import { crashSweep, limitsSweep, storeSweep } from "../../../scenarios/sweeps/fault-sweeps.ts";
import type { Exploration, TrialResult } from "../../../scenarios/trials.ts";
import { isFull } from "../../support/depth.ts";
import { subjectOf } from "../../support/subjects.ts";
import { useScenarioFolder } from "../scenario-folder.ts";

const NIGHTLY = fileURLToPath(new URL("../../mutations/nightly.scenario.yaml", import.meta.url));

const scenarios = useScenarioFolder();

const written = (...lines: readonly string[]) => scenarios.write("a", ...lines);

async function swept<Found>(
  file: string,
  sweep: Exploration<Found>,
  options: Pick<ExplorationOptions, "perSubject" | "only"> = {},
) {
  return explore([subjectOf(file, scenarios.environments)], sweep, { jobs: 1, maxRuns: 1000, ...options });
}

const names = (results: readonly TrialResult[]) => results.map(({ trial }) => trial);
const unheld = (results: readonly TrialResult[]) => results.filter(({ verdict }) => verdict !== "held");

const THREADS = ["when:", "  - request: POST /threads", "    body: {}", "    capture: { thread: thread_id }"];

describe("a sweep of crashes", () => {
  it("kills the worker at each point of each run, and the process after each turn of a moving clock", async () => {
    const { results, notRun, refused } = await swept(NIGHTLY, crashSweep(false), {
      perSubject: isFull ? 10 : 2,
    });
    expect({ unheld: unheld(results), refused }).toEqual({ unheld: [], refused: [] });
    const tried = [...results, ...notRun].map(({ trial }) => trial);
    expect(tried).toEqual(
      expect.arrayContaining([
        "crash at export.running #2",
        "crash at file.written #3",
        "crash at rows.read #1",
      ]),
    );
    expect(tried.filter((name) => name.startsWith("killed after turn")).length).toBeGreaterThan(5);
  });

  it("tries a bounded number of points, evenly chosen, and reports the others", async () => {
    const { results, notRun } = await swept(NIGHTLY, crashSweep(true), { perSubject: 4 });
    expect(names(results)).toHaveLength(4);
    expect(new Set(notRun.map(({ why }) => why))).toEqual(new Set(["give --all"]));
    const again = await swept(NIGHTLY, crashSweep(true), { perSubject: 4 });
    expect(names(again.results)).toEqual(names(results));
  });

  it("names the point, the difference and the line that repeats it", async () => {
    const file = written(
      "given:",
      "  - seed: { traces: { count: 5, project: shop } }",
      "    capture: { session: session_id }",
      "  - request: POST /api/v1/bulk-exports/destinations",
      "    body: { destination_type: s3, display_name: D, config: { bucket_name: traces, prefix: x, region: us-east-1 },",
      "            credentials: { access_key_id: emulator, secret_access_key: emulator-secret } }",
      "    capture: { destination: id }",
      "  - request: POST /api/v1/bulk-exports",
      '    body: { bulk_export_destination_id: "${destination}", session_id: "${session}", start_time: 2026-02-28T00:00:00Z, end_time: 2026-03-01T00:00:00Z }',
      "    capture: { export: id }",
      "  - advance: PT10M",
      "then:",
      "  - request: GET /api/v1/bulk-exports/${export}/runs",
      "    expect: { body: { 0: { errors: { retry_0: $absent } } } }",
    );
    const { results } = await swept(file, crashSweep(true));
    expect(unheld(results)[0]).toMatchObject({
      trial: "crash at export.running #1",
      failure: { label: "then[0]" },
      differences: [
        expect.stringMatching(/^body\.0\.errors\.retry_0: expected \$absent, found "Infrastructure/),
      ],
      again: "again crash at export.running #1",
    });
  });
});

describe("a sweep of store errors", () => {
  it("lets an export end as FAILED where the specification has no retry, and continue where it has one", async () => {
    const { results } = await swept(NIGHTLY, storeSweep(false), { perSubject: isFull ? 12 : 8 });
    expect(unheld(results)).toEqual([]);
    expect(names(results).some((name) => /^PutObject (AccessDenied|NoSuchBucket)/.test(name))).toBe(true);
    expect(names(results).some((name) => /^PutObject (SlowDown|InternalError|reset)/.test(name))).toBe(true);
  });

  it("is strict with a command, which has to live with every one of them", async () => {
    const only = "PutObject AccessDenied #2";
    expect(unheld((await swept(NIGHTLY, storeSweep(false), { only })).results)).toEqual([]);
    expect(names(unheld((await swept(NIGHTLY, storeSweep(true), { only })).results))).toEqual([only]);
  });
});

describe("a sweep of limits", () => {
  it("answers each request in turn with 429, and a repeated request has the same result", async () => {
    const get = ["  - request: GET /threads/${thread}", "    expect: { body: { status: idle } }"];
    const { results } = await swept(written(...THREADS, ...get), limitsSweep());
    expect(results.map(({ trial, verdict }) => [trial, verdict])).toEqual([
      ["429 #1", "held"],
      ["429 #2", "held"],
    ]);
  });
});

describe("a sweep of edges", () => {
  it("tries the edges of windows and days, and stops the clock at due events", async () => {
    const { results, notRun } = await swept(NIGHTLY, edgeSweep(), { perSubject: isFull ? 12 : 2 });
    expect(unheld(results)).toEqual([]);
    const tried = [...results, ...notRun].map(({ trial }) => trial);
    const window = "window 2026-02-26T00:00Z/2026-02-27T06:00Z: a row";
    for (const edge of ["2026-02-26T00:00:00.000Z", "2026-02-27T00:00:00.000Z", "2026-02-27T06:00:00.000Z"])
      for (const offset of ["1 ms before", "at", "1 ms after"])
        expect(tried).toContain(`${window} ${offset} ${edge}`);
    expect(tried.some((name) => name.startsWith("clock stops 1 ms before 2026-03-01T00:00"))).toBe(true);
  });
});

it("a scenario that removes the faults by which a sweep counts is refused", async () => {
  const step = ["  - control: DELETE /faults"];
  const { results, refused } = await swept(written(...THREADS, ...step), limitsSweep());
  expect(results).toEqual([]);
  expect(refused[0]?.why).toContain(
    "(it removes all faults, those that count the points of the sweep as well",
  );
});

it("names a world that is removed during the replay, and does not report it as a difference", async () => {
  let played = 0;
  const removing: Environments = {
    ...scenarios.environments,
    async open(options) {
      const environment = await scenarios.environments.open(options);
      played += 1;
      // The baseline is the first.
      if (played === 2) {
        const { url } = environment;
        const [, origin = "", world = ""] = /^(.*)\/w\/(.*)$/.exec(url) ?? [];
        const { status } = await fetch(`${origin}/_emulator/v1/worlds/${world}`, { method: "DELETE" });
        expect(status).toBe(200);
      }
      return environment;
    },
  };
  const file = written(...THREADS, "  - request: GET /threads/${thread}");
  const { results } = await explore([subjectOf(file, removing)], limitsSweep(), { jobs: 1, maxRuns: 1000 });
  expect(results.map(({ verdict }) => verdict)).toEqual(["broken", "held"]);
  expect(results[0]?.differences).toEqual([
    expect.stringMatching(/^its world scenario-\d+ was removed while it was played$/),
  ]);
});

it("a scenario whose baseline does not pass is refused", async () => {
  const { results, refused } = await swept(
    written("then:", "  - request: GET /ok", "    expect: { status: 201 }"),
    crashSweep(false),
  );
  expect(results).toEqual([]);
  expect(refused[0]?.why).toBe(
    "it does not pass without --sweep crash (then[0]: status: expected 201, found 200); make it pass first",
  );
});
