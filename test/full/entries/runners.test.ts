import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { CLI, workingFolder } from "../../support/emulator-process.ts";
import { installPackage, runShell } from "../../support/user-project.ts";

const VARIABLES = { NO_COLOR: "1", NODE_NO_WARNINGS: "1" };

const TESTS = `
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { assertDelivered, assertExported, sharedEmulator, withWorld } from "trace-platform-emulator/node-test";

const options = { emulatorOptions: { seed: 7 }, emulatorFrom: "main" };
before(async () => {
  await (await sharedEmulator({ seed: 7 })).request("/threads", { json: {} });
});
const count = async (emulator) => (await emulator.request("/threads/count", { json: {} })).json();
for (const nth of ["first", "second"])
  test(\`\${nth} world\`, withWorld(async ({ emulator, clock }, context) => {
    assert.equal(context.name, \`\${nth} world\`);
    assert.equal(clock.now().toISOString(), "2026-01-01T00:00:00.000Z");
    assert.equal(await count(emulator), 0);
    await emulator.request("/threads", { json: {} });
  }));
test("prepared world", withWorld(async ({ emulator }) => {
  assert.deepEqual([emulator.seed, await count(emulator)], [7, 1]);
}, options));
test("undelivered", withWorld(({ emulator }) => assertDelivered(emulator)));
test("unverified", withWorld(({ emulator }) => assertExported(emulator.fork(), "x")));
test("wrong", withWorld(async ({ emulator }) => {
  await emulator.request("/threads", { json: {} });
  assert.equal(1, 2);
}));
test("missed", withWorld(async ({ emulator }) => {
  await emulator.faults.arm({ preset: "worker_crash" });
}));
test("forgotten", withWorld(async ({ clock }) => {
  clock.advance("PT1H");
}));
`;

function project(files: Readonly<Record<string, string>>) {
  const cwd = workingFolder();
  writeFileSync(join(cwd, "package.json"), '{ "private": true, "type": "module" }\n');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return { cwd, bin: installPackage(cwd) };
}

it("node:test: each test has a world, and a failed test shows its journal and writes a capsule", async () => {
  const { cwd, bin } = project({ "worlds.test.mjs": TESTS });
  const variables = { ...VARIABLES, EMULATOR_CAPSULES: "kept" };
  const script = "node --test --test-reporter=tap worlds.test.mjs";
  const { stdout, code } = await runShell(script, cwd, bin, variables);
  expect(code).toBe(1);
  expect(stdout.match(/^(not )?ok .*/gm)).toEqual([
    "ok 1 - first world",
    "ok 2 - second world",
    "ok 3 - prepared world",
    "not ok 4 - undelivered",
    "not ok 5 - unverified",
    "not ok 6 - wrong",
    "not ok 7 - missed",
    "not ok 8 - forgotten",
  ]);
  expect(stdout).toContain('0 deliveries are like {"status":"delivered"}; the ledger has 0');
  expect(stdout).toContain("toHaveExported: expects an emulator, but the value is a promise");
  expect(stdout).toMatch(
    /1 !== 2[\s\S]*The journal of its world:\n +#\d+ .* POST \/threads \(createThread\)/,
  );
  expect(stdout).toMatch(
    /worker_crash.* was never triggered\. If that is intended, arm it with optional: true/,
  );
  expect(stdout).toContain("advance() had not finished when its test ended. Is an await missing?");
  expect(stdout).toContain("Its requests are kept in kept/worlds-test-wrong.capsule");
  expect(readdirSync(join(cwd, "kept"))).toContain("worlds-test-wrong.capsule");
});

/** The tests print where their world is, and whether the world has the thread of another test. */
const BODY = `async ({ emulator, clock }) => {
  const { length } = await (await emulator.request("/threads/search", { json: {} })).json();
  await emulator.request("/threads", { json: {} });
  await clock.advance("PT1H");
  console.log(\`ran at \${emulator.url} with \${length} threads at \${clock.now().toISOString()};\`);
}`;

const WATCHING = {
  vitest: {
    text: `import { test } from "trace-platform-emulator/vitest"; test("watched", ${BODY});`,
    command: ["node_modules/vitest/vitest.mjs", "--watch", "--reporter=verbose", "--testTimeout=600000"],
  },
  "node:test": {
    text: `import { test } from "node:test"; import { withWorld } from "trace-platform-emulator/node-test"; test("watched", withWorld(${BODY}));`,
    command: ["--test", "--watch", "watched.test.mjs"],
  },
};

describe("exec --fixtures", () => {
  it.each(Object.entries(WATCHING))(
    "keeps one emulator between the runs of %s",
    async (_, { text, command }) => {
      const { cwd } = project({ "watched.test.mjs": text });
      const words = [CLI, "exec", "--fixtures", "--", process.execPath, ...command];
      const env = { PATH: process.env.PATH, ...VARIABLES };
      const child = spawn(process.execPath, words, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
      const ended = once(child, "exit");
      onTestFinished(async () => {
        child.kill("SIGTERM");
        await ended;
      });
      const runs: RegExpMatchArray[] = [];
      for await (const line of createInterface({ input: child.stdout })) {
        const run = /ran at (\S+?)\/w\/(\S+) with 0 threads at (\S+);/.exec(line);
        if (!run) continue;
        runs.push(run);
        if (runs.length === 3) break;
        // The watcher sees a change of the file.
        writeFileSync(join(cwd, "watched.test.mjs"), `${text}\n// ${runs.length}\n`);
      }
      expect(new Set(runs.map(([, origin]) => origin)).size).toBe(1);
      expect(new Set(runs.map(([, , world]) => world)).size).toBe(3);
      expect(new Set(runs.map(([, , , now]) => now))).toEqual(new Set(["2026-01-01T01:00:00.000Z"]));
    },
  );
});
