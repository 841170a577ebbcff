import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run, workingFolder } from "../support/emulator-process.ts";

interface JsonReport {
  readonly summary?: Readonly<Record<string, number>>;
  readonly scenarios?: readonly { readonly name: string }[];
  readonly counts?: Readonly<Record<string, number>>;
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

/** Runs a command in two parts and merges their reports; gives the merged report and that of the whole. */
async function inParts(cwd: string, ...words: readonly string[]) {
  for (const part of [1, 2])
    await run([...words, "--shard", `${part}/2`, "--report", "json", "--output", `${part}.json`], { cwd });
  const whole = await run([...words, "--report", "json", "--output", "whole.json"], { cwd });
  const merged = await run(
    ["report", "merge", "1.json", "2.json", "--report", "json", "--output", "m.json"],
    { cwd },
  );
  expect({ code: merged.code, stderr: merged.stderr }).toEqual({ code: whole.code, stderr: "" });
  const read = (name: string) => JSON.parse(readFileSync(join(cwd, name), "utf8")) as JsonReport;
  return { merged: read("m.json"), whole: read("whole.json"), parts: [read("1.json"), read("2.json")] };
}

describe("emulator report merge", () => {
  it("puts the parts of a replay together", async () => {
    const cwd = folderWith("bad", "good", "well");
    const { merged, whole, parts } = await inParts(cwd, "replay", ".");
    expect(merged.summary).toEqual(whole.summary);
    expect(parts.map(({ scenarios }) => scenarios?.length)).toEqual([2, 1]);
    const pretty = await run(["report", "merge", "1.json", "2.json"], { cwd });
    expect(pretty).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("3 scenarios: 2 passed, 1 failed"),
    });
  });

  it("merges the parts of a variation run, each of which played the baselines", async () => {
    const { merged, whole } = await inParts(folderWith("bad", "good"), "replay", ".", "--vary");
    expect(merged.summary).toEqual(whole.summary);
    expect(merged.summary).toMatchObject({ refused: 1, differs: 0 });
  });

  it("puts the parts of a contract run together", async () => {
    const { merged, whole, parts } = await inParts(workingFolder(), "contract", "run", "4.6", "4.7");
    expect(merged.counts).toEqual(whole.counts);
    expect(parts[0]?.counts).not.toEqual(whole.counts);
  });

  it("refuses a file that is not a report, unrelated reports, and the same part twice", async () => {
    const cwd = folderWith("good");
    await run(["replay", ".", "--report", "json", "--output", "a.json"], { cwd });
    await run(["replay", ".", "--vary", "--report", "json", "--output", "b.json"], { cwd });
    writeFileSync(join(cwd, "c.json"), "{}");
    writeFileSync(join(cwd, "d.json"), "not JSON");
    for (const [files, said] of [
      [["a.json", "b.json"], "b.json is a report of exploration, and a.json is a report of replay"],
      [["a.json", "a.json"], "good.scenario.yaml is in two of the reports; give each part once"],
      [["c.json"], "c.json is not a report of replay, exec or contract run"],
      [["d.json"], "d.json is not JSON"],
      [["e.json"], "e.json: no such file or folder; check the path"],
    ] as const)
      expect(await run(["report", "merge", ...files], { cwd })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(said),
      });
  });
});
