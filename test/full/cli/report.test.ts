import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { workingFolder } from "../../support/emulator-process.ts";

interface JsonReport {
  readonly summary?: Readonly<Record<string, number>>;
  readonly counts?: Readonly<Record<string, number>>;
  readonly part?: { readonly index: number; readonly count: number; readonly plan: string };
}

/** A report without what differs between two runs of the same: times, and the addresses of temporary worlds. */
function comparable(key: string, value: unknown): unknown {
  if (key === "durationMs" || key === "wallMs") return undefined;
  return typeof value === "string" ? value.replace(/127\.0\.0\.1:\d+\/w\/[\w-]+/, "<world>") : value;
}

function folderWith(...names: readonly string[]): string {
  const cwd = workingFolder();
  for (const name of names)
    writeFileSync(
      join(cwd, `${name}.scenario.yaml`),
      `scenario: S.\nthen:\n  - request: GET /ok\n    expect: { status: ${name.startsWith("bad") ? 201 : 200} }\n`,
    );
  return cwd;
}

/** Runs a command in parts, and merges their reports in another order: the merged report is that of the whole run. */
async function inParts(cwd: string, count: number, ...words: readonly string[]) {
  const parts = Array.from({ length: count }, (_, at) => at + 1);
  const report = (name: string, ...more: readonly string[]) =>
    run([...more, "--report", "json", "--output", name], { cwd });
  for (const part of parts) await report(`${part}.json`, ...words, "--shard", `${part}/${count}`);
  const whole = await report("whole.json", ...words);
  const merged = await report(
    "m.json",
    "report",
    "merge",
    ...parts.toReversed().map((part) => `${part}.json`),
  );
  expect({ code: merged.code, stderr: merged.stderr }).toEqual({ code: whole.code, stderr: "" });
  const read = (name: string) => JSON.parse(readFileSync(join(cwd, name), "utf8"), comparable) as JsonReport;
  expect(read("m.json")).toEqual(read("whole.json"));
  return { whole: read("whole.json"), parts: parts.map((part) => read(`${part}.json`)) };
}

describe("emulator report merge", () => {
  it("puts the parts of a replay together", async () => {
    const cwd = folderWith("bad", "good", "well", "bad-too", "fine");
    const { whole, parts } = await inParts(cwd, 4, "replay", ".");
    expect(whole.summary).toMatchObject({ passed: 3, failed: 2 });
    const plan = expect.stringMatching(/^[0-9a-f]{12}$/);
    expect(whole.part).toEqual({ index: 1, count: 1, plan });
    expect(parts.map(({ part }) => part)).toEqual(
      [1, 2, 3, 4].map((index) => ({ ...whole.part, index, count: 4 })),
    );
    const pretty = await run(["report", "merge", ...[1, 2, 3, 4].map((part) => `${part}.json`)], { cwd });
    expect(pretty).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("5 scenarios: 3 passed, 2 failed"),
    });
  });

  it("fails where a part is missing, or parts of different runs are mixed", async () => {
    const cwd = folderWith("good", "well", "also");
    const part = (name: string, ...words: readonly string[]) =>
      run(["replay", ".", "--report", "json", "--output", `${name}.json`, ...words], { cwd });
    for (const index of [1, 2, 3]) await part(String(index), "--shard", `${index}/3`);
    await part("2-of-2", "--shard", "2/2");
    await part("seed", "--shard", "3/3", "--seed", "5");
    for (const [files, text] of [
      ["1.json", "the reports are incomplete: part 2/3, part 3/3 missing"],
      ["1.json 3.json", "the reports are incomplete: part 2/3 missing; give the report of every part"],
      ["1.json 2.json 3.json 1.json", "part 1/3 is in two of the reports; give each part once"],
      ["1.json 2-of-2.json", "2-of-2.json (part 2/2, plan "],
      ["1.json 2.json seed.json", "are parts of different runs"],
    ] as const)
      expect(await run(["report", "merge", ...files.split(" ")], { cwd }), files).toEqual({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining(text),
      });
    expect((await run(["report", "merge", "1.json", "2.json", "3.json"], { cwd })).code).toBe(0);
  });

  it.each(["pretty", "junit", "md"])("a %s report names its part", async (format) => {
    const words = ["replay", ".", "--shard", "2/2", "--report", format];
    const { code, stdout } = await run(words, { cwd: folderWith("good", "well") });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/part 2 of 2, plan [0-9a-f]{12}/),
    });
  });

  it("keeps --strict, and fails for a part that was interrupted", async () => {
    const cwd = workingFolder();
    const report = { counts: {}, part: { index: 1, count: 1, plan: "0" }, target: "t", seed: 1, requests: 1 };
    const result = (verdict: string) => ({
      id: "4.1/x",
      title: "T",
      requirements: [],
      findings: [],
      verdict,
    });
    const merged = async (more: object) => {
      writeFileSync(join(cwd, "1.json"), JSON.stringify({ ...report, wallMs: 1, ...more }));
      return run(["report", "merge", "1.json"], { cwd });
    };
    const mild = { results: [{ ...result("UNSPECIFIED"), checkedRequirements: [] }] };
    expect((await merged(mild)).code).toBe(0);
    expect((await merged({ ...mild, strict: true })).code).toBe(1);
    expect(await merged({ ...mild, baseline: { known: 1, new: 0, gone: 2 } })).toMatchObject({
      stdout: expect.stringContaining("baseline: failing findings: 1 known, 0 new, 2 no longer found"),
    });
    expect(await merged({ ...mild, interrupted: { done: 1, total: 9 } })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("interrupted after 1 of 1 case"),
    });
  });

  it.each([
    ["replay . --shard 3/3", "part 3 of 3 is empty, because the run has 2 scenarios; give at most 2 parts"],
    [
      "contract run 4.1/limit --shard 4/9",
      "part 4 of 9 is empty, because the run has 2 cases; give at most 2 parts",
    ],
  ])("%s: an empty part fails", async (words, text) => {
    expect(await run(words.split(" "), { cwd: folderWith("good", "well") })).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(text),
    });
  });

  it("a variation run without a trial fails", async () => {
    const { code, stdout } = await run(["replay", ".", "--vary", "--shard", "99/99"], {
      cwd: folderWith("good"),
    });
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining("No trial was run, so nothing was checked."),
    });
  });

  it("refuses unrelated reports, and the same part twice", async () => {
    const cwd = folderWith("good");
    const part = { index: 1, count: 1, plan: "0" };
    writeFileSync(join(cwd, "c.json"), JSON.stringify({ results: [1], counts: {}, part }));
    expect(await run(["report", "merge", "c.json"], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("c.json is not a report"),
    });
    await run(["replay", ".", "--report", "json", "--output", "a.json"], { cwd });
    await run(["replay", ".", "--vary", "--report", "json", "--output", "b.json"], { cwd });
    for (const [files, said] of [
      [["a.json", "b.json"], "b.json is a report of exploration, and a.json is a report of replay"],
      [["a.json", "a.json"], "part 1/1 is in two of the reports; give each part once"],
    ] as const)
      expect(await run(["report", "merge", ...files], { cwd })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(said),
      });
  });

  it.each([["--vary"], ["--sweep", "crash"], ["--sweep", "limits"]])(
    "merges the parts of replay %s %s, each of which played the baselines",
    async (...way) => {
      const cwd = folderWith("bad", "good");
      const { whole } = await inParts(cwd, 2, "replay", ".", ...way);
      expect(whole.summary).toMatchObject({ refused: 1 });
    },
  );

  it("puts the parts of a contract run together", async () => {
    const { whole, parts } = await inParts(workingFolder(), 4, "contract", "run", "4.1", "4.6", "4.7");
    expect(parts[0]?.counts).not.toEqual(whole.counts);
  });
});
