import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run, workingFolder } from "../support/emulator-process.ts";

interface Facts {
  readonly verified: boolean;
  readonly export_id: string;
  readonly rows: number;
  readonly files: readonly string[];
}

describe("emulator demo", () => {
  it("leaves verified Parquet files, the same ones each time", async () => {
    const cwd = workingFolder();
    const facts: Facts[] = [];
    for (let time = 0; time < 2; time++) {
      const { code, stdout, stderr } = await run(["demo", "--json"], { cwd });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      facts.push(JSON.parse(stdout));
    }
    expect(facts[0]).toEqual(facts[1]);
    expect(facts[0]?.verified).toBe(true);
    expect(facts[0]?.rows).toBeGreaterThan(1000);
    expect(facts[0]?.files.length).toBeGreaterThanOrEqual(3);
    for (const file of facts[0]?.files ?? [])
      expect(readFileSync(join(cwd, file)).subarray(0, 4).toString()).toBe("PAR1");
  });

  it("ends by naming the files and one line to open them", async () => {
    const cwd = workingFolder();
    const { code, stdout } = await run(["demo", "--data", "shown"], { cwd });
    expect(code).toBe(0);
    const files = stdout.split("\n").filter((line) => line.endsWith(".parquet"));
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) expect(existsSync(join(cwd, file.trim())), file).toBe(true);
    expect(stdout.trim().split("\n").at(-1)).toMatch(
      /duckdb -c ".*read_parquet\('shown\/.*hive_partitioning = true/,
    );
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
