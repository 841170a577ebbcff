import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { launch, start, workingFolder } from "../../support/emulator-process.ts";
import { stateFileIn } from "../../support/pool-files.ts";
import { openVerbs } from "../../support/verbs.ts";

let cwd: string;

beforeEach(() => {
  cwd = workingFolder();
});

describe("emulator start", () => {
  it("prints its addresses when it is ready, and writes them to the ready file", async () => {
    const { ready, child } = await start(
      ["--ready-file", "ready.json", "--seed", "7", "--clock", "frozen", "--now", "2026-01-01T00:00:00Z"],
      { cwd },
    );
    expect(ready).toEqual({
      console_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_emulator\/console\/$/),
      ready: true,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      eu_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      s3_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      pid: child.pid,
      version: expect.any(String),
      seed: 7,
      now: "2026-01-01T00:00:00.000000Z",
    });
    expect(new Set([ready.url, ready.eu_url, ready.s3_url]).size).toBe(3);
    expect(JSON.parse(readFileSync(join(cwd, "ready.json"), "utf8"))).toEqual({
      ...ready,
      console_url: undefined,
    });
    for (const url of [ready.url, ready.eu_url]) expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it("reports a problem of a data folder in one line, and does not change the folder", async () => {
    const { child, ended } = await start([], { cwd });
    child.kill("SIGTERM");
    await ended;
    const data = join(cwd, ".emulator");
    const world = stateFileIn(data);
    const original = { world: readFileSync(world), key: readFileSync(join(data, "key")) };
    const expectRefusal = async (says: RegExp, folder = data) => {
      const { code, stderr } = await run(["start", "--port", "0", "--data", folder], { cwd });
      expect({ code, lines: stderr.trim().split("\n").length }).toEqual({ code: 2, lines: 1 });
      expect(stderr).toMatch(says);
    };
    await expectRefusal(/state-\d+\.json: this is a file, not a folder/, world);
    await expectRefusal(/\/dev\/null: this is a file, not a folder/, "/dev/null");
    await expectRefusal(/the path is too long/, join(cwd, "n".repeat(300)));
    await expectRefusal(/\/proc\/absent.*choose another --data/, "/proc/absent");
    writeFileSync(join(data, "key"), "short");
    await expectRefusal(/key is damaged/);
    rmSync(join(data, "key"));
    await expectRefusal(/key is missing/);
    expect(existsSync(join(data, "key"))).toBe(false);
    writeFileSync(join(data, "key"), original.key);
    writeFileSync(join(data, "worlds.ndjson"), "{");
    await expectRefusal(/worlds\.ndjson .*`cp \S+worlds\.copy\.ndjson \S+worlds\.ndjson`/);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends with 0 on %s and takes its files away", async (signal) => {
    const { child, ended } = await start(["--ready-file", "ready.json"], { cwd });
    const locator = join(cwd, ".emulator/locator.json");
    expect(statSync(locator).mode & 0o777).toBe(0o600);
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(locator)).toBe(false);
    expect(existsSync(join(cwd, "ready.json"))).toBe(false);
  });

  it("is found by status, env, wait and stop through its locator", async () => {
    const { ready, ended } = await start([], { cwd });
    const status = await run(["status", "--json"], { cwd });
    expect(JSON.parse(status.stdout)).toMatchObject({ url: ready.url, pid: ready.pid });
    expect(await run(["wait"], { cwd })).toEqual({ code: 0, stdout: `${ready.url} is ready\n`, stderr: "" });
    const { stdout } = await run(["env"], { cwd });
    expect(stdout.trim().split("\n")).toEqual([
      `export EMULATOR_URL='${ready.url}'`,
      `export EMULATOR_EU_URL='${ready.eu_url}'`,
      `export EMULATOR_S3_URL='${ready.s3_url}'`,
      "export EMULATOR_API_KEY='emulator-key'",
      "export EMULATOR_TENANT_ID='00000000-0000-4000-8000-000000000001'",
      `export AWS_ENDPOINT_URL_S3='${ready.s3_url}'`,
      "export AWS_ACCESS_KEY_ID='emulator'",
      "export AWS_SECRET_ACCESS_KEY='emulator-secret'",
      "export AWS_REGION='us-east-1'",
      "export AWS_DEFAULT_REGION='us-east-1'",
      `export LANGSMITH_ENDPOINT='${ready.url}'`,
      "export LANGSMITH_API_KEY='emulator-key'",
      `export LANGGRAPH_API_URL='${ready.url}'`,
    ]);
    expect(await run(["stop"], { cwd })).toMatchObject({ code: 0, stderr: "" });
    expect((await ended).code).toBe(0);
  });

  it("answers reset and verify-export of an unknown export", async () => {
    const { url, run, lines } = await openVerbs();
    expect(await lines("reset")).toEqual([`${url} is reset`]);
    const verify = await run("verify-export", "00000000-0000-4000-8000-000000000000");
    expect(verify.code).toBe(2);
    expect(verify.stderr).toMatch(
      /^emulator: Bulk export 0{8}-\S+ does not exist\. List the exports of a workspace with `emulator export list`\.\n$/,
    );
  });

  it("allows one process per data folder, and names its owner", async () => {
    const { ready } = await start([], { cwd });
    const second = await run(["start", "--port", "0"], { cwd });
    expect(second).toEqual({
      code: 2,
      stdout: "",
      stderr: `emulator: ${join(cwd, ".emulator")} is in use by process ${ready.pid} (${ready.url}); stop it with \`emulator stop --data ${join(cwd, ".emulator")}\`, or use another folder with --data\n`,
    });
  });

  it.each([
    ["locator.json", []],
    ["lock-owner.json", []],
    ["emulator.log", ["--detach"]],
    ["locator.json", ["--detach"]],
  ])("refuses a data folder whose %s is a folder, in one line", async (name, flags) => {
    const path = join(cwd, ".emulator", name);
    mkdirSync(join(path, "any"), { recursive: true });
    const { code, stderr } = await run(["start", "--port", "0", ...flags], { cwd });
    expect([code, stderr]).toEqual([
      2,
      `emulator: ${path}: this is a folder, not a file; remove it, or choose another --data\n`,
    ]);
    expect(readdirSync(join(cwd, ".emulator")).filter((entry) => entry.startsWith("locator.json."))).toEqual(
      [],
    );
  });

  it("starts at once where another was killed", async () => {
    const first = await start([], { cwd });
    first.child.kill("SIGKILL");
    await first.ended;
    expect((await run(["status"], { cwd })).code).toBe(2);
    const second = await start([], { cwd });
    expect(second.ready.pid).not.toBe(first.ready.pid);
  });

  it("does not change the locator of another running emulator", async () => {
    const second = await start([], { cwd });
    const ephemeral = await start(["--ephemeral"], { cwd });
    const status = JSON.parse((await run(["status", "--json"], { cwd })).stdout);
    expect(status.pid).toBe(second.ready.pid);
    ephemeral.child.kill("SIGTERM");
    expect(await ephemeral.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("which is kept"),
    });
    expect(existsSync(join(cwd, ".emulator/locator.json"))).toBe(true);
  });

  it("says where a stored world resumes", async () => {
    const begin = ["start", "--port", "0", "--clock", "frozen", "--now", "2026-03-03T00:00:02Z"];
    const outputOf = async (args: readonly string[]) => {
      const { child, ended } = launch(args, { cwd });
      child.stdout?.once("data", () => child.kill("SIGTERM"));
      return (await ended).stdout;
    };
    expect(await outputOf(begin)).not.toContain("resumed");
    expect(await outputOf(["start", "--port", "0"])).toContain(
      "\nresumed at 2026-03-03T00:00:02Z, frozen, 0 events due\n",
    );
  });

  it("reads the configuration file of its folder, and the environment", async () => {
    writeFileSync(
      join(cwd, "emulator.config.yaml"),
      "seed: 5\nclock: { mode: frozen, now: 2026-03-01T00:00:00Z }\n",
    );
    const { ready } = await start([], { cwd, env: { EMULATOR_SEED: "6" } });
    expect(ready).toMatchObject({ seed: 6, now: "2026-03-01T00:00:00.000000Z" });
  });

  it("names the port that is in use", async () => {
    // The command waits for a server that sends nothing.
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const outcome = await run(["start", "--port", String(port), "--ephemeral"], {
      cwd: workingFolder(),
    });
    server.close();
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    // The next two may be in use as well, by another test; the first is named.
    expect(outcome.stderr).toMatch(
      new RegExp(
        `^emulator: port ${port}: (?:the port is in use; stop the program that uses it|an emulator uses it .*), or choose another --port \\(0: free ports\\)\n$`,
      ),
    );
  });

  it("prints nothing with --quiet", async () => {
    const starting = start(["--quiet"], { cwd });
    const outcome = starting.catch((error: Error) => error.message);
    expect((await run(["wait"], { cwd })).code).toBe(0);
    expect((await run(["stop"], { cwd })).code).toBe(0);
    expect(await outcome).toBe('no ready line: {"code":0,"stdout":"","stderr":""}');
  });
});
