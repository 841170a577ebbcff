import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { exitCodeOf } from "../../../../bin/replay/explore.ts";
import { spreadTrials } from "../../../../bin/replay/trial-threads.ts";
import type { Environment, Environments, ScenarioRequest } from "../../../../scenarios/environment.ts";
import { type ExplorationOptions, explore } from "../../../../scenarios/exploration.ts";
import { explorationCounts } from "../../../../scenarios/exploration-reports.ts";
import { sweep } from "../../../../scenarios/sweeps/sweep.ts";
import type { Exploration, TrialResult } from "../../../../scenarios/trials.ts";
import { useScenarioFolder } from "../../../scenarios/scenario-folder.ts";
import { subjectOf } from "../../../support/subjects.ts";

const NIGHTLY = fileURLToPath(new URL("./nightly.scenario.yaml", import.meta.url));

const scenarios = useScenarioFolder();

const written = (...lines: readonly string[]) => scenarios.write("a", ...lines);

async function swept<Found>(
  file: string,
  exploration: Exploration<Found>,
  options: Pick<ExplorationOptions, "perSubject" | "only"> = {},
) {
  return explore([subjectOf(file, scenarios.environments)], exploration, {
    jobs: 1,
    maxRuns: 1000,
    ...options,
  });
}

const names = (results: readonly TrialResult[]) => results.map(({ trial }) => trial);
const unheld = (results: readonly TrialResult[]) => results.filter(({ verdict }) => verdict !== "held");

const THREADS = ["when:", "  - request: POST /threads", "    body: {}", "    capture: { thread: thread_id }"];

describe("a sweep of crashes", () => {
  it("kills the worker at each point of each run, and the process after each turn of a moving clock", async () => {
    const { results, notRun, refused } = await swept(NIGHTLY, sweep(["crash"]), {
      perSubject: 6,
    });
    expect({ unheld: unheld(results), refused }).toEqual({ unheld: [], refused: [] });
    const trials = [...results, ...notRun].map(({ trial }) => trial);
    expect(trials).toEqual(
      expect.arrayContaining([
        "crash at export.running #2",
        "crash at file.written #3",
        "crash at rows.read #1",
      ]),
    );
    expect(trials.filter((name) => name.startsWith("killed after turn")).length).toBeGreaterThan(5);
  });

  it("tries a bounded number of points, evenly chosen, and reports the others", async () => {
    const { results, notRun } = await swept(NIGHTLY, sweep(["crash"], true), { perSubject: 2 });
    expect(names(results)).toHaveLength(2);
    expect(new Set(notRun.map(({ why }) => why))).toEqual(new Set(["give --all"]));
    const again = await swept(NIGHTLY, sweep(["crash"], true), { perSubject: 2 });
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
    const { results } = await swept(file, sweep(["crash"], true));
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

it("a kill that only changes an inbox is not kept, as documented", async () => {
  const shipped = new URL(
    "../../../../scenarios/shipped/webhook-twice-and-late.scenario.yaml",
    import.meta.url,
  );
  const only = "killed after turn 33";
  const { results, ...rest } = await swept(fileURLToPath(shipped), sweep(["crash"]), { only });
  expect(results).toMatchObject([{ verdict: "not kept", failure: { label: "then[0]" } }]);
  expect(explorationCounts({ results, ...rest })).toMatchObject({ differs: 0, not_kept: 1 });
  expect(exitCodeOf({ results, ...rest })).toBe(0);
});

describe("a sweep of store errors", () => {
  it("lets an export end as FAILED where the specification has no retry, and continue where it has one", async () => {
    const { results } = await swept(NIGHTLY, sweep(["store"]), { perSubject: 8 });
    expect(unheld(results)).toEqual([]);
    expect(names(results).some((name) => /^PutObject (AccessDenied|NoSuchBucket)/.test(name))).toBe(true);
    expect(names(results).some((name) => /^PutObject (SlowDown|InternalError|reset)/.test(name))).toBe(true);
  });

  it("is strict with a command, which has to live with every one of them", async () => {
    const only = "PutObject AccessDenied #2";
    expect(unheld((await swept(NIGHTLY, sweep(["store"]), { only })).results)).toEqual([]);
    expect(names(unheld((await swept(NIGHTLY, sweep(["store"], true), { only })).results))).toEqual([only]);
  });
});

describe("a sweep of limits", () => {
  it("answers each request in turn with 429, and a repeated request has the same result", async () => {
    const get = ["  - request: GET /threads/${thread}", "    expect: { body: { status: idle } }"];
    const { results } = await swept(written(...THREADS, ...get), sweep(["limits"]));
    expect(results.map(({ trial, verdict }) => [trial, verdict])).toEqual([
      ["429 #1", "held"],
      ["429 #2", "held"],
    ]);
  });
});

describe("a sweep of edges", () => {
  it("tries the edges of windows and days, and stops the clock at due events", async () => {
    const { results, notRun } = await swept(NIGHTLY, sweep(["edges"]), { perSubject: 6 });
    expect(unheld(results)).toEqual([]);
    const trials = [...results, ...notRun].map(({ trial }) => trial);
    const window = "window 2026-02-26T00:00Z/2026-02-27T06:00Z: a row";
    for (const edge of ["2026-02-26T00:00:00.000Z", "2026-02-27T00:00:00.000Z", "2026-02-27T06:00:00.000Z"])
      for (const offset of ["1 ms before", "at", "1 ms after"])
        expect(trials).toContain(`${window} ${offset} ${edge}`);
    expect(trials.some((name) => name.startsWith("clock stops 1 ms before 2026-03-01T00:00"))).toBe(true);
  });
});

describe("two disturbances at once", () => {
  it("are combined as pairs, and reduced to the one that causes a difference", async () => {
    for (const [second, place] of [
      ["cancel", / \+ cancel at 2026-03-01T/],
      ["late-row", / \+ /],
    ] as const) {
      const { results } = await swept(NIGHTLY, sweep(["crash", second]), { perSubject: 6 });
      expect(unheld(results)).toEqual([]);
      for (const name of names(results)) expect(name).toMatch(place);
    }
    const only = "PutObject AccessDenied #3 + PutObject SlowDown #2";
    const strict = await swept(NIGHTLY, sweep(["store", "store"], true), { only });
    expect(names(unheld(strict.results))).toEqual(["PutObject AccessDenied #3"]);
  });
});

/** Exports are wrong once such a request was sent. */
function wrongAfter(isCause: (request: ScenarioRequest) => boolean): Environments {
  return {
    ...scenarios.environments,
    async open(options) {
      const environment = await scenarios.environments.open(options);
      let isWrong = false;
      const request: Environment["request"] = async (original) => {
        isWrong ||= isCause(original);
        const reply = await environment.request(original);
        return isWrong && original.path.endsWith("/verify")
          ? { ...reply, text: JSON.stringify(WRONG) }
          : reply;
      };
      return { ...environment, request };
    },
  };
}

const WRONG = { ok: false, rows: 1, files: 1, problems: [{ kind: "missing_row", key: "k", detail: "d" }] };

it("an export that is already wrong is broken, and not disturbed", async () => {
  const subjects = [
    subjectOf(
      NIGHTLY,
      wrongAfter(() => true),
    ),
  ];
  const { results, refused } = await explore(subjects, sweep(["crash"]), { jobs: 1, maxRuns: 10 });
  expect(results).toEqual([]);
  expect(refused[0]?.why).toContain("an export is already wrong: export");
});

it("a scenario with nothing to disturb is named in the report", async () => {
  const { results, notRun } = await swept(written("then:", "  - request: GET /ok"), sweep(["store"]));
  expect(results).toEqual([]);
  expect(notRun).toEqual([{ subject: "a", trial: "none", why: "it has nothing that this changes" }]);
});

it.each([
  [
    "never ends is stopped, and",
    "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
    /^it did not end within [\d.]+ s$/,
  ],
  [
    "ends its thread is",
    'setImmediate(() => { throw new TypeError("late") })',
    /^an exception ended its thread: late$/,
  ],
])("a trial that %s broken, and the next one is played", async (_what, act, difference) => {
  const openThread = () =>
    new Worker(
      `const { parentPort } = require("node:worker_threads");
       const trials = [{ name: "bad", section: "7.3", differs: "d", means: "m" }];
       parentPort.on("message", (job) => {
         if (job === null) process.exit();
         if (job.trial === undefined) return parentPort.postMessage({ value: { trials } });
         ${act};
       });`,
      { eval: true },
    );
  const subjects = [{ name: "a", file: "a.yaml", again: (trial: string) => `again ${trial}` }];
  const trials = spreadTrials({ subjects, openThread, limitMs: 3000 });
  expect(await trials.plan(0)).toMatchObject({ trials: [{ name: "bad" }] });
  expect(await trials.run(0, "bad")).toMatchObject({
    verdict: "broken",
    differs: "d",
    differences: [expect.stringMatching(difference)],
    again: "again bad",
  });
  expect(await trials.plan(0)).toMatchObject({ trials: [{ name: "bad" }] });
  await trials.close();
});

/** The environments of the scenarios, with a change to the one of the first trial. */
function inFirstTrial(change: (environment: Environment) => Promise<Environment>): Environments {
  let worlds = 0;
  return {
    ...scenarios.environments,
    async open(options) {
      const environment = await scenarios.environments.open(options);
      worlds += 1;
      // The baseline has the first world.
      return worlds === 2 ? change(environment) : environment;
    },
  };
}

it("an exception in a trial makes it broken, with the command that repeats it; the others are played", async () => {
  const throwing = inFirstTrial(async (environment) => {
    const request = async (): Promise<never> => {
      throw new TypeError("undefined is not a function");
    };
    return { ...environment, request };
  });
  const subject = {
    ...subjectOf(NIGHTLY, throwing),
    again: (trial: string) => `replay --sweep store --only ${trial}`,
  };
  const { results } = await explore([subject], sweep(["store"]), { jobs: 1, maxRuns: 3 });
  expect(results).toHaveLength(3);
  const [first, ...rest] = results;
  expect(first).toMatchObject({ verdict: "broken", again: expect.stringContaining("--sweep store --only ") });
  expect(first?.differences[0]).toContain("the emulator threw an error: undefined is not a function (at ");
  expect(rest.filter(({ verdict }) => verdict === "broken")).toEqual([]);
});

it("a scenario that removes the faults by which a sweep counts is refused", async () => {
  const step = ["  - control: DELETE /faults"];
  const { results, refused } = await swept(written(...THREADS, ...step), sweep(["limits"]));
  expect(results).toEqual([]);
  expect(refused[0]?.why).toContain(
    "(it removes all faults, those that count the points of the sweep as well",
  );
});

it("names a world that is removed during the replay, and does not report it as a difference", async () => {
  const removing = inFirstTrial(async (environment) => {
    const [, origin = "", world = ""] = /^(.*)\/w\/(.*)$/.exec(environment.url) ?? [];
    const { status } = await fetch(`${origin}/_emulator/v1/worlds/${world}`, { method: "DELETE" });
    expect(status).toBe(200);
    return environment;
  });
  const file = written(...THREADS, "  - request: GET /threads/${thread}");
  const { results } = await explore([subjectOf(file, removing)], sweep(["limits"]), {
    jobs: 1,
    maxRuns: 1000,
  });
  expect(results.map(({ verdict }) => verdict)).toEqual(["broken", "held"]);
  expect(results[0]?.differences).toEqual([
    expect.stringMatching(/^its world scenario-\d+ was removed while it was played$/),
  ]);
});

it("a scenario whose baseline does not pass is refused", async () => {
  const { results, refused } = await swept(
    written("then:", "  - request: GET /ok", "    expect: { status: 201 }"),
    sweep(["crash"]),
  );
  expect(results).toEqual([]);
  expect(refused[0]?.why).toBe(
    "it does not pass without --sweep crash (then[0]: status: expected 201, found 200); make it pass first",
  );
});
