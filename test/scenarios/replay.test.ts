import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeReport } from "../../contracts/report/write.ts";
import type { Environments } from "../../scenarios/environment.ts";
import { type ReplayOptions, readScenarios, replay, scenarioFiles } from "../../scenarios/replay.ts";
import { replayReport } from "../../scenarios/reports.ts";
import { useScenarioFolder } from "./scenario-folder.ts";

const scenarios = useScenarioFolder();

function write(name: string, ...lines: readonly string[]): string {
  const file = join(scenarios.folder, `${name}.scenario.yaml`);
  writeFileSync(file, `${["scenario: A sentence.", "seed: 5", ...lines].join("\n")}\n`);
  return file;
}

async function playAll(options: Partial<ReplayOptions> = {}) {
  return replay(readScenarios(scenarioFiles([scenarios.folder], scenarios.folder)), {
    cwd: scenarios.folder,
    jobs: 2,
    environments: scenarios.environments,
    ...options,
  });
}

describe("a body in a scenario", () => {
  it("keeps the digits of its numbers and the order of its members", async () => {
    const body = '{ metadata: { b: 9007199254740993, "10": 10.0, "2": -0.50 } }';
    const request = "when:\n  - request: POST /threads\n    body: ";
    write("kept", `${request}${body}`, `    expect: { body: ${body} }`);
    write(
      "near",
      `${request}${body}`,
      '    expect: { body: { metadata: { "2": { $within: [-1.0, 0.0] } } } }',
    );
    write("other", `${request}${body}`, "    expect: { body: { metadata: { b: 9007199254740992 } } }");
    const outcomes = await playAll();
    expect(outcomes.map(({ name, verdict }) => [name, verdict])).toEqual([
      ["kept", "passed"],
      ["near", "passed"],
      ["other", "failed"],
    ]);
    expect(outcomes[2]?.failure?.differences).toEqual([
      "body.metadata.b: expected 9007199254740992, found 9007199254740993",
    ]);
  });
});

describe("a fault that was never triggered", () => {
  const fault = "fault: { preset: worker_crash";

  it("fails the scenario at the step that armed it, unless it is optional", async () => {
    write("missed", "given:", `  - ${fault} }`, "then:", "  - request: GET /ok");
    write("optional", "given:", `  - ${fault}, optional: true }`, "then:", "  - request: GET /ok");
    write("removed", "given:", `  - ${fault} }`, "then:", "  - control: DELETE /faults");
    const outcomes = await playAll();
    expect(Object.fromEntries(outcomes.map(({ name, verdict }) => [name, verdict]))).toEqual({
      missed: "failed",
      optional: "passed",
      removed: "passed",
    });
    expect(outcomes.find(({ name }) => name === "missed")?.failure).toMatchObject({
      label: "given[0]",
      differences: [
        'the fault {"preset":"worker_crash","match":{"at":"file.written"}} was never triggered; if that is intended, add `optional: true`',
      ],
      curl: undefined,
    });
  });
});

it("names of headers are the same in any case", async () => {
  write(
    "headers",
    "then:",
    "  - request: GET /ok",
    "    expect: { headers: { Content-Type: application/json } }",
  );
  expect(await playAll()).toMatchObject([{ verdict: "passed" }]);
});

it("a failure that rate limits would explain mentions that a replay has no limits", async () => {
  write("limits", "then:", "  - request: GET /ok", "    expect: { status: 429 }");
  const [outcome] = await playAll();
  expect(outcome?.failure?.differences).toEqual([
    "status: expected 429, found 200",
    expect.stringContaining("rate limits are off in a replay; switch them on with `settings:"),
  ]);
});

it("fields that nothing reads are warned of, once for each step, and change no verdict", async () => {
  write(
    "unread",
    "when:",
    "  - repeat: 3",
    "    steps:",
    "      - request: POST /threads?unknown=1",
    "        body: { metdata: { n: 1 } }",
    "  - request: POST /threads",
    "    body: { metadata: { n: 1 } }",
  );
  write("known", "when:", "  - request: GET /ok");
  const outcomes = await playAll();
  const unread = outcomes.find(({ name }) => name === "unread");
  expect(unread?.verdict).toBe("passed");
  expect(unread?.warnings).toEqual([
    expect.stringMatching(/unread\.scenario\.yaml:6: when\[0\]\[0\]: ignored fields: .*body\.metdata$/),
  ]);
  const line = `warning: ${unread?.warnings[0]}`;
  expect(writeReport(replayReport(outcomes, scenarios.folder), "pretty")).toContain(`  ${line}\n`);
  expect(writeReport(replayReport(outcomes, scenarios.folder), "md")).toContain(
    `### ok unread\n\n\`\`\`\n${line}\n\`\`\``,
  );
  expect(writeReport(replayReport(outcomes, scenarios.folder), "junit")).toMatch(
    /<system-out>warning: .*metdata<\/system-out><\/testcase>/,
  );
  expect(JSON.parse(writeReport(replayReport(outcomes, scenarios.folder), "json")).scenarios).toContainEqual(
    expect.objectContaining({ name: "unread", warnings: unread?.warnings }),
  );
});

describe("a failure reports", () => {
  it("the step, the difference, the request and the command that does it again", async () => {
    write(
      "bad",
      "when:",
      "  - note: it has to be there",
      "    request: GET /threads/00000000-0000-4000-8000-000000000009",
      "    expect: { status: 200 }",
    );
    const [outcome] = await playAll();
    expect(outcome?.verdict).toBe("failed");
    const text = writeReport(replayReport([outcome!], scenarios.folder), "pretty");
    expect(text.split("\n").slice(1)).toEqual([
      "",
      "FAILED bad",
      "  bad.scenario.yaml:4: when[0]",
      "  it has to be there",
      "    status: expected 200, found 404",
      expect.stringMatching(
        /^ {2}curl -X GET .*-H 'x-api-key: emulator-key'.* 'http:\/\/127\.0\.0\.1:\d+\/w\/scenario-1\/threads\/00000000-0000-4000-8000-000000000009'$/,
      ),
      "  The world was removed. To keep the state after this step, replay with --keep.",
      "  npx emulator replay bad.scenario.yaml --seed 5",
      "",
      "1 scenario: 0 passed, 1 failed",
    ]);
  });

  it("the files of its command, quoted for a shell", async () => {
    write("it's a name", "when:", "  - request: GET /gone");
    expect((await playAll())[0]?.again).toBe("npx emulator replay 'it'\\''s a name.scenario.yaml' --seed 5");
  });

  it("why an export has no rows to look at", async () => {
    write("gone", "when:", "  - expect: { parquet: { export: gone, rows: 1 } }");
    const [outcome] = await playAll();
    expect(outcome?.failure?.differences).toEqual([
      expect.stringMatching(/^GET \/api\/v1\/bulk-exports\/gone\/runs: .*must be a uuid/),
    ]);
  });

  it("where its world is, when that is to stay, and only as long as the stages do", async () => {
    const thread = "/threads/00000000-0000-4000-8000-000000000009";
    write("bad", "when:", "  - advance: PT1H", `  - request: GET ${thread}`, "    expect: { status: 200 }");
    write("good", "when:", "  - request: GET /ok");
    const [outcome, good] = await playAll({ keep: true });
    expect([outcome?.isKept, good?.isKept]).toEqual([true, false]);
    expect(writeReport(replayReport([outcome!], scenarios.folder), "pretty")).not.toContain("gone");
    const [, address = ""] = /'(http:[^']*)'$/.exec(outcome?.failure?.curl ?? "") ?? [];
    const headers = { "x-api-key": "emulator-key" };
    expect((await fetch(address, { headers })).status).toBe(404);
    const clock = await fetch(address.replace(thread, "/_emulator/v1/clock"), { headers });
    expect(await clock.json()).toMatchObject({ now: expect.stringContaining("T01:00:00") });
    await scenarios.environments.close();
    await expect(fetch(address, { headers })).rejects.toThrow();
  });

  it("in every form of report", async () => {
    write("bad<&>", "when:", '  - request: GET /threads/"<&\u0001>"', "    expect: { status: 200 }");
    write("good", "when:", "  - request: GET /ok");
    const outcomes = await playAll();
    const junit = writeReport(replayReport(outcomes, scenarios.folder), "junit");
    expect(junit).toContain('tests="2" failures="1" errors="0"');
    expect(junit).toContain("&quot;&lt;&amp;");
    expect(junit).not.toContain("\u0001");
    expect(JSON.parse(writeReport(replayReport(outcomes, scenarios.folder), "json"))).toMatchObject({
      summary: { passed: 1, failed: 1 },
      scenarios: [{ verdict: "failed", seed: 5 }, { verdict: "passed" }],
    });
    expect(writeReport(replayReport(outcomes, scenarios.folder), "md")).toMatch(
      /^\| ok \| \d+ ms \| good \| A sentence\. \|$/m,
    );
  });

  it("that settings are wrong, as a scenario that could not be played", async () => {
    write("bad", "settings: { limits: { workflow_timeuot: PT1H } }", "when:", "  - advance: PT1S");
    const [outcome] = await playAll();
    expect(outcome).toMatchObject({
      verdict: "broken",
      problem: expect.stringContaining("workflow_timeout"),
    });
  });
});

describe("a repetition", () => {
  it("ends as soon as its condition holds", async () => {
    write(
      "loop",
      "when:",
      "  - repeat: 50",
      "    until: { round: 3 }",
      "    steps:",
      "      - advance: PT1S",
      "        capture: { at: to }",
      "  - expect: { variables: { at: { $regex: 'T00:00:04' } } }",
    );
    expect(await playAll()).toMatchObject([{ verdict: "passed", steps: 6 }]);
  });

  it("fails when it never does", async () => {
    write("loop", "when:", "  - repeat: 3", "    until: { round: 3 }", "    steps:", "      - advance: PT1S");
    const [outcome] = await playAll();
    expect(outcome?.failure?.differences).toEqual([
      "condition not met after 3 rounds",
      "round: expected 3, found 2",
    ]);
  });
});

describe("scenarios", () => {
  it("are independent, and run in parallel up to the given number", async () => {
    for (const name of ["a", "b", "c", "d"])
      write(
        name,
        "when:",
        "  - request: POST /threads",
        "    body: {}",
        "  - request: POST /threads/search",
        "    body: {}",
        "    expect: { body: { length: 1 } }",
      );
    let open = 0;
    let most = 0;
    const counted: Environments = {
      ...scenarios.environments,
      async open(setting) {
        open += 1;
        most = Math.max(most, open);
        const environment = await scenarios.environments.open(setting);
        return {
          ...environment,
          async close() {
            open -= 1;
            await environment.close();
          },
        };
      },
    };
    const outcomes = await playAll({ jobs: 3, environments: counted });
    expect(outcomes.map(({ name, verdict }) => [name, verdict])).toEqual([
      ["a", "passed"],
      ["b", "passed"],
      ["c", "passed"],
      ["d", "passed"],
    ]);
    expect([most, open]).toEqual([3, 0]);
  });

  it("are all in a folder and below it, except for those of packages", () => {
    const names = ["b.scenario.yaml", "a.scenario.yml", "deep/er/c.scenario.yaml"];
    const others = ["node_modules/x/d.scenario.yaml", "deep/node_modules/e.scenario.yaml", "plain.yaml"];
    for (const name of [...names, ...others]) {
      mkdirSync(dirname(join(scenarios.folder, name)), { recursive: true });
      writeFileSync(join(scenarios.folder, name), "");
    }
    expect(scenarioFiles([scenarios.folder], scenarios.folder)).toEqual(
      names.map((name) => join(scenarios.folder, name)).sort(),
    );
    const inside = join(scenarios.folder, "node_modules");
    expect(scenarioFiles([inside], scenarios.folder)).toEqual([join(inside, "x/d.scenario.yaml")]);
  });

  it("must exist", () => {
    expect(() => scenarioFiles([scenarios.folder], scenarios.folder)).toThrow("contains no *.scenario.yaml");
    expect(() => scenarioFiles(["gone"], scenarios.folder)).toThrow("gone: no such file or folder");
  });
});

describe("a golden journal", () => {
  const steps = ["when:", "  - request: POST /threads", "    body: {}", "  - advance: PT1H"];

  it("is written on request, and then compared byte for byte", async () => {
    const file = write("kept", ...steps);
    const golden = join(scenarios.folder, "kept.journal.ndjson");
    expect(await playAll()).toMatchObject([{ verdict: "passed", drift: { kind: "none" } }]);
    expect(existsSync(golden)).toBe(false);
    expect(await playAll({ update: true })).toMatchObject([
      { verdict: "passed", drift: { kind: "written" } },
    ]);
    expect(await playAll()).toMatchObject([{ verdict: "passed", drift: { kind: "same" } }]);
    const text = readFileSync(golden, "utf8");
    expect(text.split("\n").length).toBeGreaterThan(2);
    writeFileSync(golden, text.replace("createThread", "createThraed"));
    const [outcome] = await playAll();
    expect(outcome).toMatchObject({ verdict: "drifted", drift: { kind: "drifted", file: golden } });
    expect(writeReport(replayReport([outcome!], scenarios.folder), "pretty")).toMatch(
      /line \d+\.cause\.name: expected "createThraed", found "createThread"/,
    );
    writeFileSync(golden, text);
    write("kept", ...steps, "  - advance: PT1S");
    expect(await playAll()).toMatchObject([{ verdict: "drifted", file }]);
  });

  it("never overwrites a scenario, whatever its name", async () => {
    const text = `${["scenario: A sentence.", ...steps].join("\n")}\n`;
    for (const name of ["plain.yaml", "no-ending", "other.scenario.yml"]) {
      const file = join(scenarios.folder, name);
      writeFileSync(file, text);
      const play = (update: boolean) =>
        replay(readScenarios([file]), {
          cwd: scenarios.folder,
          jobs: 1,
          environments: scenarios.environments,
          update,
        });
      expect(await play(false)).toMatchObject([{ verdict: "passed", drift: { kind: "none" } }]);
      expect(await play(true)).toMatchObject([{ drift: { kind: "written" } }]);
      expect(readFileSync(file, "utf8")).toBe(text);
      expect(await play(false)).toMatchObject([{ drift: { kind: "same" } }]);
    }
    const journals = ["no-ending.journal.ndjson", "other.journal.ndjson", "plain.yaml.journal.ndjson"];
    expect(readdirSync(scenarios.folder).filter((name) => name.endsWith(".ndjson"))).toEqual(journals);
  });

  it("is not written when the scenario failed", async () => {
    write("failed", ...steps, "  - request: GET /gone");
    expect(await playAll({ update: true })).toMatchObject([{ verdict: "failed", drift: undefined }]);
    expect(existsSync(join(scenarios.folder, "failed.journal.ndjson"))).toBe(false);
  });
});
