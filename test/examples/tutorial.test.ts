import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { start, workingFolder } from "../support/emulator-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CHAPTER = "Your first verified export, by hand";

/** The shell lines of the README's chapter, as a reader would type them. */
function tutorial(): { readonly flags: readonly string[]; readonly script: string } {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const chapter = readme.split(/^## /m).find((text) => text.startsWith(`${CHAPTER}\n`)) ?? "";
  const [first = "", second = ""] = [...chapter.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
    ([, block]) => block,
  );
  const [, flags = ""] = /^npx emulator start (.*)$/m.exec(first) ?? [];
  return { flags: flags.split(" "), script: second };
}

it("the five minutes of the README do what they say", async () => {
  const { flags, script } = tutorial();
  expect(script.split("\n").length).toBeGreaterThan(10);
  const cwd = workingFolder();
  const { ready } = await start(flags, { cwd });
  const steps = script.replace("http://127.0.0.1:4700", ready.url);
  expect(steps).not.toBe(script);
  const prelude = `npx() { shift; "${process.execPath}" "${join(ROOT, "dist/bin/emulator.js")}" "$@"; }\n`;
  const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-eu", "-c", prelude + steps], {
    cwd,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/"reached":true/);
  expect(stdout.trimEnd()).toMatch(/export [0-9a-f-]{36}: verified, 500 rows in \d+ files$/);
});
