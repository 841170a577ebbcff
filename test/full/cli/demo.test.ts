import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { workingFolder } from "../../support/emulator-process.ts";

interface Facts {
  readonly verified: boolean;
  readonly export_id: string;
  readonly rows: number;
  readonly files: readonly string[];
}

const USUAL_FOLDER = ".emulator/demo/";

describe("emulator demo", () => {
  it("writes the same verified Parquet files each time, and prints their paths and a command to open them", async () => {
    const cwd = workingFolder();
    const { stdout: json, ...outcome } = await run(["demo", "--json"], { cwd });
    expect(outcome).toEqual({ code: 0, stderr: "" });
    const { verified, export_id, rows, files } = JSON.parse(json) as Facts;
    expect(verified).toBe(true);
    expect(rows).toBeGreaterThan(1000);
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) expect(readFileSync(join(cwd, file)).subarray(0, 4).toString()).toBe("PAR1");

    mkdirSync(join(cwd, "shown"));
    for (const name of [".made-by-demo", "of-an-earlier-demo"]) writeFileSync(join(cwd, "shown", name), "");
    const again = await run(["demo", "--data", "shown"], { cwd });
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(again.stdout).toContain(`${export_id}: verified, ${rows} rows in ${files.length} files`);
    const names = again.stdout.split("\n").filter((line) => line.endsWith(".parquet"));
    const lines = names.map((line) => line.trim());
    expect(lines).toEqual(files.map((file) => file.replace(USUAL_FOLDER, "shown/")));
    for (const [at, file] of files.entries())
      expect(readFileSync(join(cwd, file)).equals(readFileSync(join(cwd, lines[at] ?? "")))).toBe(true);
    expect(again.stdout.trim().split("\n").at(-1)).toMatch(
      /duckdb -c ".*read_parquet\('shown\/.*hive_partitioning = true/,
    );
    expect(existsSync(join(cwd, "shown/of-an-earlier-demo"))).toBe(false);
  });

  it("does not touch a folder with anything in it that it did not make", async () => {
    const cwd = workingFolder();
    mkdirSync(join(cwd, "mine"));
    writeFileSync(join(cwd, "mine/thesis.txt"), "years of work");
    const { code, stdout, stderr } = await run(["demo", "--data", "mine"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      /mine: contains files that the demo did not make; name an empty folder with --data\n$/,
    );
    expect(readdirSync(join(cwd, "mine"))).toEqual(["thesis.txt"]);
  });
});
