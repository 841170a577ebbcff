import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readScenario } from "../../../../scenarios/document.ts";
import { replay } from "../../../../scenarios/replay.ts";
import { SAMENESSES, type Sameness, type Shrunk, shrink } from "../../../../scenarios/shrink/shrink.ts";
import { useScenarioFolder } from "../../../scenarios/scenario-folder.ts";
import { run } from "../../../support/command-line.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

const scenarios = useScenarioFolder();

const write = (...lines: readonly string[]) => scenarios.write("long", ...lines);

/** Forty steps, of which four lead to the failure: a run that is rejected as long as another one works. */
const FORTY = [
  "settings: { limits: { rows_per_file: 50 } }",
  "variables: { unused: 1 }",
  "given:",
  "  - seed: { traces: { count: 30, project: shop } }",
  ...Array.from({ length: 12 }, () => "  - { request: POST /threads, body: {} }"),
  "  - request: POST /threads",
  "    body: { metadata: { owner: me, tags: [a, b, c] } }",
  "    capture: { thread: thread_id }",
  ...Array.from({ length: 6 }, (_, at) => `  - advance: PT${at + 1}M`),
  "when:",
  ...Array.from({ length: 8 }, () => "  - { request: GET /ok }"),
  "  - request: POST /threads/${thread}/runs",
  "    headers: { x-mine: yes }",
  "    body: { assistant_id: agent, input: { messages: [one, two] } }",
  ...Array.from({ length: 4 }, () => "  - { request: POST /runs/crons/search, body: { limit: 3 } }"),
  "  - request: POST /threads/${thread}/runs",
  "    note: the second one",
  "    body: { assistant_id: agent, multitask_strategy: reject, metadata: { a: 1 } }",
  "    expect: { status: 200, body: { status: $any } }",
  "then:",
  ...Array.from({ length: 6 }, () => "  - { request: GET /ok }"),
];

/** Seven of them: of each that is there several times, the first. */
const SEVEN = FORTY.filter(
  (line, at) => !/advance|then:/.test(line) && (!line.startsWith("  - {") || FORTY.indexOf(line) === at),
);

async function small(
  file: string,
  { maxRuns = 3000, same = "path" as Sameness } = {},
): Promise<Shrunk & { readonly file: string }> {
  const output = join(scenarios.folder, "small.scenario.yaml");
  const options = { environments: scenarios.environments, maxRuns, same };
  const shrunk = await shrink(readScenario(file), output, options);
  writeFileSync(output, shrunk.text);
  return { ...shrunk, file: output };
}

/** How a scenario fails when it is replayed. */
async function firstDifference(file: string): Promise<string | undefined> {
  const { folder: cwd, environments } = scenarios;
  const [outcome] = await replay([readScenario(file)], { cwd, jobs: 1, environments });
  return outcome?.failure?.differences[0];
}

const OF_ME = "body: { metadata: { of: me } }";
const MINE = `  - { request: POST /threads, ${OF_ME} }`;
const OTHER_STEPS = [
  "  - { request: POST /threads, body: {} }",
  "  - advance: PT2M",
  "  - { request: GET /ok }",
];
const WRONG_STEPS = [
  "  - { request: GET /ok, expect: { status: 201 } }",
  `  - { request: POST /threads/count, ${OF_ME}, expect: { body: 9 } }`,
  `  - { request: POST /threads/search, ${OF_ME}, expect: { body: [{ status: busy }] } }`,
];

describe("a scenario that fails", () => {
  it("of random steps is reduced to those that matter, and fails in the same way", async () => {
    const steps = fc.array(fc.constantFrom(MINE, ...OTHER_STEPS), { maxLength: 5 });
    const wrongStep = fc.constantFrom(...WRONG_STEPS);
    const sameness = fc.constantFrom(...SAMENESSES);
    const histories = [steps, wrongStep, steps, sameness] as const;
    const property = fc.asyncProperty(...histories, async (before, wrong, after, same) => {
      const file = write("when:", ...before, wrong, ...after);
      const difference = await firstDifference(file);
      const shrunk = await small(file, { same });
      const reduced = await firstDifference(shrunk.file);
      expect(shrunk).toMatchObject({ difference: reduced, isSmallest: true });
      expect(shrunk.steps).toBeLessThanOrEqual(1 + before.filter((step) => step === MINE).length);
      const [request = ""] = /\w+ \/[\w/]+/.exec(wrong) ?? [];
      expect(shrunk.text).toContain(request);
      const partOf = (text = "") => (same === "path" ? text.replace(/found \d+$/, "") : text);
      if (same !== "step") expect(partOf(reduced)).toBe(partOf(difference));
    });
    await fc.assert(property, { numRuns: 100, seed: 12, endOnFailure: true });
  });

  it("of forty steps is reduced to at most five, and fails in the same way", async () => {
    const { stepsBefore, steps, isSmallest, runs, text, file } = await small(write(...FORTY));
    expect({ stepsBefore, isSmallest }).toEqual({ stepsBefore: 40, isSmallest: true });
    expect(steps).toBeLessThanOrEqual(5);
    expect(runs).toBeLessThan(120);
    for (const word of ["x-mine", "unused", "rows_per_file", "owner", "note", "seed"])
      expect(text).not.toContain(word);
    expect(await firstDifference(file)).toMatch(/^status: expected 200, found 4/);
  });

  it("keeps the steps of files that it includes, and names other files from where it is", async () => {
    for (const name of ["scenarios/parts", "fixtures/traces"])
      cpSync(join(ROOT, name), join(scenarios.folder, name), { recursive: true });
    const shipped = join(ROOT, "scenarios/shipped/schema-torture.scenario.yaml");
    const broken = readFileSync(shipped, "utf8")
      .replaceAll("../", "scenarios/")
      .replaceAll("scenarios/scenarios/", "")
      .replace(/^then:$/m, "then:\n  - request: GET /ok\n    expect: { status: 201 }");
    const file = join(scenarios.folder, "torture.scenario.yaml");
    writeFileSync(file, broken.replaceAll("scenarios/fixtures", "fixtures"));
    const { steps, difference } = await small(file);
    expect({ steps, difference }).toEqual({ steps: 1, difference: "status: expected 201, found 200" });
  });

  const countOf = (threads: number) => [
    "given:",
    ...Array.from(
      { length: threads },
      () => "  - { request: POST /threads, body: { metadata: { of: me } } }",
    ),
    "when:",
    "  - request: POST /threads/count",
    "    body: { metadata: { of: me } }",
    "    expect: { body: 5 }",
  ];

  it.each([
    ["difference", 7, 8, "body: expected 5, found 7"],
    ["path", 30, 1, "body: expected 5, found 0"],
    ["step", 30, 1, expect.any(String)],
  ] as const)("keeps the %s of a count of %d, in %d steps", async (same, threads, steps, difference) => {
    const shrunk = await small(write(...countOf(threads)), { same });
    expect(shrunk.steps).toBe(steps);
    expect(shrunk.difference).toEqual(difference);
  });

  it("keeps a status and a text with the path, and only the step without it", async () => {
    const file = write(
      "when:",
      "  - { request: POST /threads, body: {}, capture: { thread: thread_id } }",
      "  - request: GET /threads/${thread}",
      "    expect: { body: { status: busy } }",
    );
    const path = await small(file);
    expect(path).toMatchObject({ steps: 2, difference: 'body.status: expected "busy", found "idle"' });
    expect(await small(file, { same: "step" })).toMatchObject({ steps: 1 });
  });

  it("is made smaller within a bound of runs", async () => {
    const { runs, isSmallest, steps } = await small(write(...FORTY), { maxRuns: 5 });
    expect({ runs, isSmallest }).toEqual({ runs: 5, isSmallest: false });
    expect(steps).toBeGreaterThan(5);
  });

  it("has to fail", async () => {
    const passing = write("when:", "  - { request: POST /threads, body: {} }");
    await expect(small(passing)).rejects.toThrow("it does not fail, or not at a step");
  });
});

describe("emulator replay --shrink", () => {
  it("writes the small one, which is played as any other", async () => {
    write(...SEVEN);
    const words = ["replay", "--shrink", "long.scenario.yaml", "--output", "small.yml"];
    const { code, stdout } = await run(words, { cwd: scenarios.folder });
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^small\.yml: [345] of 7 steps, found in \d+ runs\nit fails in the same way: status: expected 200, found/,
      ),
    });
    expect((await run(["replay", "small.yml"], { cwd: scenarios.folder })).code).toBe(1);
    const again = await run(words, { cwd: scenarios.folder });
    expect(again.stderr).toContain("small.yml exists; overwrite it with --update");
  });

  it.each([
    [
      ["--shrink", "none.scenario.yaml", "--output", "b.scenario.yaml"],
      "none.scenario.yaml: no such file; check the path",
    ],
    [["--shrink", "long.scenario.yaml"], "--output is missing; give the file to write with --shrink"],
    [
      ["--shrink", "long.scenario.yaml", "--output", "b.yaml", "--same", "text"],
      '--same: "text" is not valid; give one of step, path, difference',
    ],
    [["--same", "step"], "--same: it is only for --shrink"],
  ])("refuses %j", async (flags, said) => {
    write("when:", "  - { request: GET /ok }");
    const { code, stderr } = await run(["replay", ...flags], { cwd: scenarios.folder });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
  });
});
