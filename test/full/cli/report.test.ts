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
