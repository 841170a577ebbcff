import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { CLI, workingFolder } from "../../support/emulator-process.ts";

const child = (source: string) => ["exec", "--", process.execPath, "-e", source];

describe("emulator exec", () => {
  it("gives the command the addresses, and its exit code on", async () => {
    const source = `
      const { EMULATOR_URL, EMULATOR_EU_URL, EMULATOR_S3_URL, AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION,
        LANGSMITH_ENDPOINT, LANGSMITH_API_KEY, LANGGRAPH_API_URL } = process.env;
      const replies = await Promise.all([EMULATOR_URL, EMULATOR_EU_URL, LANGSMITH_ENDPOINT, LANGGRAPH_API_URL].map((url) => fetch(url + "/readyz")));
      console.log(JSON.stringify({ ready: replies.map(({ status }) => status), s3: (await fetch(EMULATOR_S3_URL)).status,
        same: EMULATOR_S3_URL === AWS_ENDPOINT_URL_S3, keys: [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, LANGSMITH_API_KEY] }));
      process.exit(7);`;
    const { code, stdout, stderr } = await run(
      ["exec", "--", process.execPath, "--input-type=module", "-e", source],
      { cwd: workingFolder() },
    );
    expect({ code, stderr }).toEqual({ code: 7, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      ready: [200, 200, 200, 200],
      s3: 403,
      same: true,
      keys: ["emulator", "emulator-secret", "us-east-1", "emulator-key"],
    });
  });

  it("passes flags after the dashes to the command", async () => {
    const source = "process.argv.slice(1).join()";
    const words = ["exec", "--seed", "3", "--", process.execPath, "-p", source, "--", "--port", "-x"];
    expect(await run(words, { cwd: workingFolder() })).toMatchObject({ code: 0, stdout: "--port,-x\n" });
  });

  it.each([
    [
      "a command that is not there",
      ["exec", "--", "no-such-command"],
      127,
      "no-such-command: no such command; check its name, or give its path",
    ],
    [
      "a file that is not a program",
      ["exec", "--", "/"],
      126,
      "/: cannot be started (EACCES); name a program that may be executed",
    ],
    ["no command", ["exec"], 2, "exec: -- <command…> is missing"],
    ["a wrong flag", ["exec", "--prt", "1", "--", "true"], 2, "did you mean --port?"],
  ])("names the mistake in %s", async (_, words, code, report) => {
    expect(await run(words, { cwd: workingFolder() })).toMatchObject({
      code,
      stderr: expect.stringContaining(report),
    });
  });

  it("exits with the code of shells when a signal ended the command", async () => {
    const words = child("process.kill(process.pid, 'SIGKILL')");
    expect((await run(words, { cwd: workingFolder() })).code).toBe(137);
  });

  it("ends with 4 under --strict when a fault was never triggered", async () => {
    const source = `fetch(process.env.EMULATOR_URL + "/_emulator/v1/faults", { method: "POST", body: JSON.stringify({ preset: "worker_crash" }) })`;
    const words = ["exec", "--strict", "--", process.execPath, "-e", source];
    expect(await run(words, { cwd: workingFolder() })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("was never triggered"),
    });
  });
});

describe("a signal to emulator exec", () => {
  let starts: ChildProcess | undefined;

  afterEach(() => void starts?.kill("SIGKILL"));

  async function running(source: string) {
    const process_ = spawn(process.execPath, [CLI, ...child(source)], {
      cwd: workingFolder(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    starts = process_;
    const [line] = await once(process_.stdout, "data");
    return { process_, pid: Number(String(line)), ended: once(process_, "exit") };
  }

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "%s reaches the command once, which decides how it ends",
    async (signal) => {
      const { process_, pid, ended } = await running(
        `let heard = 0;
       process.on("${signal}", () => { heard += 1; setTimeout(() => process.exit(40 + heard), 100); });
       setInterval(() => {}, 1000);
       console.log(process.pid);`,
      );
      process_.kill(signal);
      expect(await ended).toEqual([41, null]);
      expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    },
  );

  it("that the command does not catch ends both", async () => {
    const { process_, pid, ended } = await running("setInterval(() => {}, 1000); console.log(process.pid);");
    process_.kill("SIGTERM");
    expect(await ended).toEqual([143, null]);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});
