import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../bin/commands.ts";
import { startEmulator } from "../../emulator/runtime/index.ts";
import { run } from "../support/command-line.ts";

const NOBODY = "00000000-0000-4000-8000-000000000001";

/** A use of each command, in this order, its exit code, and its output. */
const USES: readonly (readonly [words: string, code: number, output: RegExp])[] = [
  ["demo", 0, /verified/],
  ["record --har seen.har", 0, /seen\.har/],
  ["replay one.scenario.yaml", 0, /^ok .*\n1 scenario: 1 passed\n$/],
  ["open nothing.capsule", 2, /nothing\.capsule: no such file/],
  [`verify-export ${NOBODY}`, 2, /^emulator: Bulk export .* does not exist/],
  ["openapi", 0, /^\{\n {2}"openapi": "3\.1\.0"/],
  ["report merge run.json", 0, /^ok .*\n1 scenario: 1 passed\n$/],
  ["contract list 4.1", 0, /^4\.1\/limit-default/],
  ["wait", 0, /is ready\n$/],
  ["status", 0, /^ready +yes\nurl +http/],
  ["env", 0, /^export EMULATOR_URL='http/],
  ["traces generate --count 3", 0, /^3 rows in the project samples/],
  ["export list", 0, /^The list is empty\.\n$/],
  ["clock advance 1h", 0, /^2026-03-01T01:00:00\.000000Z: 0 events fired\n$/],
  ["fault arm worker_crash", 0, /armed +0\/1 hits +worker_crash/],
  ["webhooks check https://example.com/hook", 0, /^https:\/\/example\.com\/hook: allowed/],
  ["limits explain POST /runs/query", 0, /^POST \/runs\/query \(us\) passes/],
  ["s3 ls", 0, /^traces +0 objects/],
  ["logs", 0, /control fault/],
  [`why ${NOBODY}`, 2, /does not occur in the history of this world/],
  ["world create copy", 0, /^copy +http.*\/w\/copy/],
  ["snapshot save kept", 0, /^kept is saved/],
  ["reset", 0, /is reset\n$/],
  ["doctor", 0, /^ok +Node/],
  ["init --runner nothing", 2, /is not valid; give one of vitest/],
  ["help clock", 0, /^the virtual time of a running emulator/],
  ["completion bash", 0, /^_emulator\(\) \{/],
];

/** `story/command-line.test.ts` starts and stops an emulator; `full/entries/exec.test.ts` runs commands under one. */
const PROCESSES = ["start", "exec", "stop"];
const SCENARIO = "scenario: S.\nthen:\n  - { request: GET /ok, expect: { status: 200 } }\n";

describe("a command", () => {
  let cwd: string;
  let url: string;
  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), "smoke-"));
    writeFileSync(join(cwd, "one.scenario.yaml"), SCENARIO);
    const emulator = await startEmulator({ clock: "frozen", now: "2026-03-01T00:00:00Z" });
    url = emulator.url;
    await run(["replay", "one.scenario.yaml", "--report", "json", "--output", "run.json"], { cwd });
    return () => emulator.close({ unusedFaults: "ignore" });
  });

  it.each(USES)("%s", async (words, exitCode, output) => {
    const { code, stdout, stderr } = await run(words.split(" "), { cwd, env: { EMULATOR_URL: url } });
    expect({ code, output: stdout + stderr }).toEqual({
      code: exitCode,
      output: expect.stringMatching(output),
    });
  });

  it("is never left out", () => {
    const names = USES.map(([words]) => words.split(" ")[0]);
    expect([...names, ...PROCESSES].sort()).toEqual(Object.keys(COMMANDS).sort());
  });
});
