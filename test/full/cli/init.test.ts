import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { run } from "../../support/command-line.ts";
import { start, workingFolder } from "../../support/emulator-process.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** What `npm init -y` writes. */
const NEW_PACKAGE = {
  name: "mine",
  version: "1.0.0",
  main: "index.js",
  scripts: { test: 'echo "Error: no test specified" && exit 1' },
  type: "commonjs",
};
const ENV = { NO_COLOR: "1" };

/** A project in which the package and these others are installed. */
function project(manifest: object, ...packages: readonly string[]): string {
  const cwd = workingFolder();
  writeFileSync(join(cwd, "package.json"), JSON.stringify(manifest));
  mkdirSync(join(cwd, "node_modules/.bin"), { recursive: true });
  symlinkSync(ROOT, join(cwd, "node_modules/trace-platform-emulator"));
  for (const name of packages) {
    symlinkSync(join(ROOT, "node_modules", name), join(cwd, "node_modules", name));
    symlinkSync(join(ROOT, "node_modules/.bin", name), join(cwd, "node_modules/.bin", name));
  }
  return cwd;
}

const textOf = (cwd: string, file: string) => readFileSync(join(cwd, file), "utf8");
const workflowOf = (cwd: string) => parse(textOf(cwd, ".github/workflows/emulator.yml"));

it("ends with a test that passed in a project of `npm init -y`", async () => {
  const cwd = project(NEW_PACKAGE);
  const { code, stdout, stderr } = await run(["init"], { cwd, env: ENV });
  expect({ code, stderr, lines: stdout.trimEnd().split("\n") }).toEqual({
    code: 0,
    stderr: "",
    lines: [
      "wrote emulator.config.yaml",
      "wrote test/emulator.test.mjs",
      "wrote .github/workflows/emulator.yml",
      "wrote AGENTS.md",
      "wrote .gitignore",
      "`node --test test/emulator.test.mjs`: the test passed",
    ],
  });
  expect(textOf(cwd, ".gitignore")).toBe("node_modules/\n.emulator/\n");
  expect(workflowOf(cwd)).toMatchObject({
    jobs: {
      test: {
        steps: expect.arrayContaining([{ run: "npm ci" }, { run: "npx emulator exec -- node --test" }]),
      },
    },
  });
  const [, schema = ""] = /\$schema=(\S+)/.exec(textOf(cwd, "emulator.config.yaml")) ?? [];
  expect(JSON.parse(textOf(cwd, schema)).properties).toHaveProperty("seed_data");
});

it("says that the test failed, and exits with 1", async () => {
  const cwd = project(NEW_PACKAGE);
  const fault = join(cwd, "fault.cjs");
  writeFileSync(fault, 'if (/emulator\\.test/.test(process.argv.join())) throw new Error("no test today");');
  const env = { ...ENV, NODE_OPTIONS: `--require ${fault}` };
  const { code, stdout, stderr } = await run(["init", "--json"], { cwd, env });
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, test: { passed: false } });
  expect(stderr).toContain("no test today");
});

it("ends with a test that passed in a project with vitest", async () => {
  const cwd = project({ type: "module", devDependencies: { vitest: "4" } }, "vitest");
  // Vitest's limit of five seconds is short while all tests of this project run.
  const config = "export default { test: { testTimeout: 60_000, hookTimeout: 60_000 } };";
  writeFileSync(join(cwd, "vitest.config.mjs"), config);
  const { code, stdout, stderr } = await run(["init"], { cwd, env: ENV });
  expect({ code, stderr, stdout }).toEqual({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining("`npx vitest run test/emulator.test.ts`: the test passed"),
  });
});

describe("the runner is the one of the project", () => {
  it.each([
    ["vitest", { "package.json": '{"devDependencies":{"vitest":"4"}}' }, "npx vitest run", "npm ci"],
    [
      "jest",
      { "package.json": '{"scripts":{"test":"jest --ci"}}', "pnpm-lock.yaml": "" },
      "npx jest",
      "corepack enable && pnpm install --frozen-lockfile",
    ],
    ["bun", { "package.json": "{}", "bun.lock": "" }, "bun test", "bun install --frozen-lockfile"],
    ["bun", { "package.json": '{"devDependencies":{"bun":"1"}}' }, "bun test", "npm ci"],
    ["mocha", { "package.json": '{"devDependencies":{"mocha":"11"}}' }, "npx mocha", "npm ci"],
    [
      "playwright",
      { "package.json": '{"devDependencies":{"@playwright/test":"1"}}' },
      "npx playwright test",
      "npm ci",
    ],
    [
      "node:test",
      { "package.json": '{"scripts":{"test":"node --test"},"devDependencies":{"vitest":"4"}}' },
      "node --test",
      "npm ci",
    ],
    ["pytest", { "requirements-dev.txt": "pytest\n" }, "python3 -m pytest", "npm ci"],
    [
      "pytest",
      { "package.json": '{"devDependencies":{"trace-platform-emulator":"1"}}', "test_mine.py": "" },
      "python3 -m pytest",
      "npm ci",
    ],
    ["node:test", { "package.json": "not JSON" }, "node --test", "npm ci"],
  ] as const)("%s %#", async (runner, files, call, install) => {
    const cwd = workingFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const { code, stdout } = await run(["init", "--json"], { cwd });
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      runner,
      test: {
        passed: null,
        reason: expect.stringContaining("run `npm i -D trace-platform-emulator`, then `"),
      },
    });
    expect(workflowOf(cwd).jobs.test.steps.slice(-2)).toEqual([
      { run: install },
      { run: `npx emulator exec -- ${call}` },
    ]);
  });

  it("unless a flag names another, which is not installed", async () => {
    const cwd = project(NEW_PACKAGE);
    const { code, stdout } = await run(["init", "--runner", "jest"], { cwd });
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(
        "the test was not run: jest is not installed; run `npm i -D jest`, then `npx jest test/emulator.test.cjs`",
      ),
    ]);
  });
});

it("adds to AGENTS.md and .gitignore, and never twice", async () => {
  const cwd = workingFolder();
  writeFileSync(join(cwd, "AGENTS.md"), "# Mine\n");
  writeFileSync(join(cwd, ".gitignore"), "dist\n/node_modules");
  expect(await run(["init"], { cwd })).toMatchObject({ code: 0 });
  expect(textOf(cwd, "AGENTS.md")).toMatch(/^# Mine\n\n## Trace Platform emulator\n/);
  expect(textOf(cwd, ".gitignore")).toBe("dist\n/node_modules\n.emulator/\n");

  const { ready } = await start(["--ephemeral"], { cwd });
  expect(ready).toMatchObject({ now: "2026-01-01T00:00:00.000000Z", seed: 1 });
  const projects = await fetch(`${ready.url}/sessions`, { headers: { "x-api-key": "k" } });
  expect(await projects.json()).toMatchObject([{ name: "shop" }]);

  const before = textOf(cwd, "AGENTS.md");
  const again = await run(["init"], { cwd });
  expect(again).toMatchObject({ code: 2, stdout: "" });
  expect(again.stderr).toMatch(
    /^emulator: emulator.config.yaml, .*already in the project; nothing was written.*\n$/,
  );
  expect(textOf(cwd, "AGENTS.md")).toBe(before);
});

it("writes nothing where one of the files is there", async () => {
  const cwd = workingFolder();
  mkdirSync(join(cwd, "test"));
  writeFileSync(join(cwd, "test/emulator.test.mjs"), "mine");
  expect(await run(["init"], { cwd })).toMatchObject({ code: 2, stdout: "" });
  expect(readdirSync(cwd)).toEqual(["test"]);
  expect(await run(["init", "none"], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no such folder"),
  });
  expect(existsSync(join(cwd, "none"))).toBe(false);
});
