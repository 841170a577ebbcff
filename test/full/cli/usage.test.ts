import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { runAlone, workingFolder } from "../../support/emulator-process.ts";
import { openVerbs } from "../../support/verbs.ts";

const COMPILED = new URL("../../../dist/.compiled", import.meta.url);

const COMMANDS = [
  "start",
  "demo",
  "verify-export",
  "openapi",
  "wait",
  "status",
  "env",
  "reset",
  "stop",
  "doctor",
];

/** Node 20 has no compile cache of its own: the emulator saves one file per bundle. */
const HAS_CACHE = "enableCompileCache" in module;

function expectSaved(bundle: string): void {
  const saved = readdirSync(COMPILED).filter((name) => name.includes(process.version));
  const name = HAS_CACHE ? /^v\d/ : new RegExp(`^${bundle}-[0-9a-f]{8}\\.js`);
  expect(saved).toContainEqual(expect.stringMatching(name));
}

describe("emulator", () => {
  it("prints the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
    expect(await run(["--version"], { cwd: workingFolder() })).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: "",
    });
  });

  it.runIf(HAS_CACHE)("saves its compiled code in the compile cache of Node", async () => {
    await runAlone(["init", "--help"], { cwd: workingFolder() });
    expect(readdirSync(COMPILED)).toContainEqual(expect.stringMatching(/^v\d/));
  });

  it("saves the compiled code of a start, and runs from it the next time", async () => {
    const ask =
      "fetch(`${process.env.EMULATOR_URL}/_emulator/v1/status`).then(({ status }) => process.exit(status))";
    const words = ["exec", "--data", "data", "--", process.execPath, "-e", ask];
    const cwd = workingFolder();
    expect((await run(words, { cwd })).code).toBe(200);
    expectSaved("starting");
    expect(await run(words, { cwd })).toMatchObject({ code: 200, stderr: "" });
  });

  it("saves the compiled code of commands for a running emulator, and runs other commands from it", async () => {
    const verbs = await openVerbs();
    const lines = async (...words: string[]) => {
      const { stdout, ...outcome } = await runAlone(words, verbs);
      expect(outcome).toEqual({ code: 0, stderr: "" });
      return stdout;
    };
    await lines("reset");
    expectSaved("questions");
    const window = ["--project", "shop", "--from", "2026-02-25", "--to", "2026-02-26"];
    await lines("traces", "generate", "--count", "3", ...window);
    await lines("export", "create", ...window, "--wait");
    const [file] = JSON.parse(await lines("s3", "ls", "traces/exports", "--json"));
    expect(JSON.parse(await lines("s3", "rows", file.name, "--json"))).toMatchObject({ row_count: 3 });
  });

  it("lists its commands, and each command its flags", async () => {
    const cwd = workingFolder();
    const overview = await run(["--help"], { cwd });
    expect(overview.code).toBe(0);
    for (const command of COMMANDS) expect(overview.stdout).toMatch(new RegExp(`^ {2}${command}\\b`, "m"));
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await run([command, "--help"], { cwd });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`Usage: emulator ${command}`);
      expect(stdout).toContain("--json");
    }
  });

  it("lists every promised flag of start", async () => {
    const { stdout } = await run(["start", "-h"], { cwd: workingFolder() });
    const promised = `--port --host --data --ephemeral --config --seed --now --clock --profile --service-version
      --application-version --agent-server-version --deployment --rate-limits --json --quiet --ready-file --strict
      --allowed-hosts --cors-origins --auth`;
    for (const flag of promised.split(/\s+/)) expect(stdout).toContain(`  ${flag}`);
  });

  it("shows the defaults of exec", async () => {
    const { stdout } = await run(["exec", "--help"], { cwd: workingFolder() });
    expect(stdout).toMatch(/--port <n> .*free ports\)/);
    expect(stdout).toMatch(/--data <dir> .*memory/);
    expect(stdout).not.toContain("4700");
  });

  it("refuses a bad value from the environment and from the file, naming where it is", async () => {
    const cwd = workingFolder();
    writeFileSync(join(cwd, "emulator.config.yaml"), "limits: { max_retries: many }\n");
    const { code, stderr } = await run(["start"], {
      cwd,
      env: { EMULATOR_CLOCK: "fast", EMULATOR_JSON: "perhaps" },
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'emulator: EMULATOR_JSON: "perhaps" is not valid; give true or false\n',
    });
    const second = await run(["start"], { cwd, env: { EMULATOR_CLOCK: "fast" } });
    expect(second).toEqual({
      code: 2,
      stdout: "",
      stderr:
        'emulator: emulator.config.yaml: limits.max_retries: "many" is not valid; give an integer of 0 or more\n' +
        'emulator: EMULATOR_CLOCK: "fast" is not valid; give one of wall, flowing, frozen\n',
    });
  });

  it("prints the OpenAPI document as one JSON value", async () => {
    const { code, stdout } = await run(["openapi"], { cwd: workingFolder() });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
  });
});
