import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

interface Story {
  /** The time zone and the locale of the process. */
  readonly here: readonly unknown[];
  readonly journal: string;
  readonly exports: string;
  readonly files: readonly (readonly [string, string])[];
}

const SCRIPT_FILE = fileURLToPath(new URL("./determinism-script.mjs", import.meta.url));

async function runIn(environment: Record<string, string>): Promise<Story> {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT_FILE], {
    env: { ...process.env, ...environment },
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

it("the same calls in another time zone and locale give the same bytes, files included", async () => {
  const one = await runIn({ TZ: "Pacific/Auckland", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" });
  const two = await runIn({ TZ: "America/St_Johns", LANG: "C", LC_ALL: "C" });
  expect(one.here).not.toEqual(two.here);
  expect(one.journal.split("\n").length).toBeGreaterThan(150);
  expect(one.files.filter(([path]) => path.endsWith(".parquet")).length).toBeGreaterThan(40);
  expect(one.journal).toContain('"fault.triggered"');
  expect(two.files).toEqual(one.files);
  expect(two.exports).toBe(one.exports);
  expect(two.journal === one.journal).toBe(true);
});
