import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { tinyServer } from "../contracts/stub-server.ts";
import { run } from "../support/command-line.ts";
import { workingFolder } from "../support/emulator-process.ts";

const server = await tinyServer(() => ({ status: 200, body: { runs: [] } }));
afterAll(() => server.close());

let cwd = "";
beforeEach(() => {
  cwd = workingFolder();
});

const contract = (words: string, env = {}) =>
  run(["contract", "run", ...words.split(" "), "--target", server.url], { cwd, env });

it("--baseline: a run with the findings of the earlier report succeeds", async () => {
  const first = await contract("4.1 --report json --output base.json");
  expect(first.code).toBe(1);
  const again = await contract("4.1 --baseline base.json");
  expect(again.stdout).toMatch(/\d+ known, 0 new, 0 no longer found/);
  expect(again.code).toBe(0);
});

const report = (value: object) => JSON.stringify({ counts: {}, results: [], ...value });

it.each([
  ["none.json", undefined, "--baseline: none.json: no such file or folder; check the path"],
  [
    "text.json",
    "x",
    "--baseline: text.json is not JSON; write the report with --report json --output <file>",
  ],
  [
    "replay.json",
    '{"scenarios":[]}',
    '--baseline: replay.json is not a report of "contract run"; write one with --report json --output <file>',
  ],
  [
    "cut.json",
    report({ interrupted: { done: 1, total: 2 } }),
    "--baseline: cut.json is the report of an interrupted run; run the cases again to the end",
  ],
  [
    "old.json",
    report({ results: [{ id: "4.1/of-old", findings: [] }] }),
    "--baseline: old.json has the case 4.1/of-old, which this version does not have; write the report again",
  ],
  [
    "other.json",
    report({ results: [{ id: "4.4/read", findings: [] }] }),
    "--baseline: other.json has none of the selected cases; write the report with the same selection",
  ],
])("--baseline %s is refused", async (name, text, problem) => {
  if (text !== undefined) writeFileSync(join(cwd, name), text);
  const { code, stderr } = await contract(`4.1 --baseline ${name}`);
  expect(stderr).toBe(`emulator: ${problem}\n`);
  expect(code).toBe(2);
});

it.each([["--baseline base.json --bail", "--bail: it cannot be combined with --baseline; remove it"]])(
  "%s is used wrongly",
  async (words, problem) => {
    const { code, stderr } = await contract(`4.1 ${words}`);
    expect(stderr).toBe(`emulator: ${problem}\n`);
    expect(code).toBe(2);
  },
);
