import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as checksums from "../../../emulator/storage/checksum.ts";
import { workingFolder } from "../../support/emulator-process.ts";

const RUN = fileURLToPath(new URL("../../../bench/run.mjs", import.meta.url));

function bench(...words: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [RUN, ...words], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

const around = (median: number) => ({
  median,
  low: median * 0.95,
  high: median * 1.05,
  least: median,
  most: median,
});

/** A report in which the emulator is this many times as fast as its peer. */
function report(multiples: Readonly<Record<string, number>>): string {
  const figures = Object.entries(multiples).map(([figure, multiple]) => ({
    figure,
    sides: {},
    targets: [{ of: "emulator", against: "peer", faster: 1, measured: around(multiple) }],
  }));
  const speed = { workloadMs: figures.length };
  return JSON.stringify({ version: 1, node: "v20.0.0", machine: { cores: 2 }, speed, figures });
}

it("the stand-in for checksums has the same exports", async () => {
  const standIn = (await import("../../../bench/peers/no-checksums.mjs" as string)) as object;
  expect(Object.keys(standIn).sort()).toEqual(Object.keys(checksums).sort());
});

describe("npm run bench", () => {
  it.each([
    [["sart"], "unknown: sart; there are start, "],
    [["start", "--rounds", "0"], "--rounds 0: give a whole number from 1"],
    [["start", "--output", "none/here.json"], "--output none/here.json: its folder is missing"],
    [["--compare", "none.json"], "none.json cannot be read as a report (ENOENT)"],
    [["--compare", RUN], "cannot be read as a report (it is not JSON)"],
    [["--with", "none.json"], "--with needs --compare"],
    [["--colour"], "Unknown option '--colour'"],
  ])("ends with 2 and one line, before it measures: %j", async (words, says) => {
    const { code, stdout, stderr } = await bench(...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^bench: .*\n$/);
    expect(stderr).toContain(says);
  });

  it("--compare --with says what became better or worse beyond the spread of both reports", async () => {
    const folder = workingFolder();
    const [before, after] = ["before", "after"].map((name) => join(folder, name)) as [string, string];
    writeFileSync(before, report({ faster: 1, slower: 1, same: 1, gone: 1 }));
    writeFileSync(after, report({ faster: 1.2, slower: 0.8, same: 1.04 }));
    const { code, stdout } = await bench("--compare", before, "--with", after);
    expect({ code, lines: stdout.trim().split("\n") }).toEqual({
      code: 0,
      lines: [
        "fixed workload: 4.0 ms → 3.0 ms",
        "better: faster: emulator / peer: 1.00 × → 1.20 ×",
        "worse: slower: emulator / peer: 1.00 × → 0.80 ×",
        "no longer measured: gone: emulator / peer",
        "1 within their spread",
      ],
    });
  });
});
