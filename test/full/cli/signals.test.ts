import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants, hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { launch, start, workingFolder } from "../../support/emulator-process.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A command with a process of its own, which reports the address of the emulator; `trap` ignores signals in both. */
function writeCommand(cwd: string, trap = ""): string[] {
  const stay = `${trap} setInterval(() => {}, 1000);`;
  writeFileSync(join(cwd, "grandchild.mjs"), stay);
  writeFileSync(
    join(cwd, "child.mjs"),
    `import { spawn } from "node:child_process";
     import { renameSync, writeFileSync } from "node:fs";
     ${stay}
     spawn(process.execPath, [${JSON.stringify(join(cwd, "grandchild.mjs"))}], { stdio: "ignore" }).once("spawn", () => {
       writeFileSync("url.new", process.env.EMULATOR_URL);
       renameSync("url.new", "url");
     });`,
  );
  return ["--", process.execPath, join(cwd, "child.mjs")];
}

function writeLongScenario(cwd: string): string {
  const file = join(cwd, "long.scenario.yaml");
  const repeated = "  - repeat: 10000\n    steps: [{ request: GET /ok }]\n";
  writeFileSync(file, `scenario: It takes long.\nwhen:\n${repeated.repeat(10)}`);
  return file;
}

const COMMANDS: Readonly<Record<string, (cwd: string) => readonly string[]>> = {
  start: (cwd) => ["start", "--ephemeral", "--port", "0", "--ready-file", join(cwd, "ready")],
  exec: (cwd) => ["exec", ...writeCommand(cwd)],
  "exec --vary": (cwd) => ["exec", "--vary", ...writeCommand(cwd)],
  replay: (cwd) => ["replay", writeLongScenario(cwd)],
  "contract run": (cwd) => ["contract", "run", "--output", join(cwd, "report")],
};

/** Launches a command with its own folder for temporary files. */
function launchIn(cwd: string, words: readonly string[]) {
  const temporary = join(cwd, "tmp");
  mkdirSync(temporary);
  const { child, ended } = launch(words, { cwd, env: { TMPDIR: temporary } });
  const files = () => readdirSync(temporary);
  return { child, ended, files };
}

/** Processes whose arguments contain the folder. */
function processesOf(cwd: string): string[] {
  const all = execFileSync("ps", ["-axww", "-o", "args="], { encoding: "utf8" }).split("\n");
  return all.filter((line) => line.includes(cwd));
}

function addressIn(cwd: string): string | undefined {
  if (existsSync(join(cwd, "url"))) return readFileSync(join(cwd, "url"), "utf8");
  if (!existsSync(join(cwd, "ready"))) return undefined;
  return (JSON.parse(readFileSync(join(cwd, "ready"), "utf8")) as { readonly url: string }).url;
}

async function endBy(name: string, signal: NodeJS.Signals): Promise<void> {
  const cwd = workingFolder();
  const hasAddress = name.startsWith("start") || name.startsWith("exec");
  const { child, ended, files } = launchIn(cwd, COMMANDS[name]?.(cwd) ?? []);
  await expect.poll(() => files().length > 0 && (!hasAddress || addressIn(cwd) !== undefined)).toBe(true);
  const url = addressIn(cwd);
  child.kill(signal);
  const { code } = await ended;
  expect(code).toBe(name === "start" ? 0 : 128 + constants.signals[signal]);
  expect(processesOf(cwd)).toEqual([]);
  expect(files()).toEqual([]);
  if (url !== undefined) await expect(fetch(url)).rejects.toThrow();
}

describe("a signal leaves no process, port or temporary folder of", () => {
  it.each(Object.keys(COMMANDS))("%s", async (name) => {
    await Promise.all(SIGNALS.map((signal) => endBy(name, signal)));
  });
});

describe("a command that ignores signals", () => {
  const report = 'process.getBuiltinModule("fs").writeFileSync("signalled", "")';
  const trap = SIGNALS.map((signal) => `process.on("${signal}", () => ${report});`).join(" ");

  it.each([
    ["exec", "SIGTERM", 137],
    ["exec --vary", "SIGINT", 130],
  ] as const)("is killed by the second signal to %s, with its processes", async (name, signal, exitCode) => {
    const cwd = workingFolder();
    const { child, ended, files } = launchIn(cwd, [...name.split(" "), ...writeCommand(cwd, trap)]);
    await expect.poll(() => addressIn(cwd)).toBeDefined();
    child.kill(signal);
    // Signals that are pending count as one, and one that arrives while Node exits kills it.
    await expect.poll(() => existsSync(join(cwd, "signalled"))).toBe(true);
    child.kill(signal);
    expect((await ended).code).toBe(exitCode);
    await expect.poll(() => processesOf(cwd)).toEqual([]);
    expect(files()).toEqual([]);
  });

  // Ten seconds for one fact.
  it("is killed 10 s after the first signal", async () => {
    const cwd = workingFolder();
    const { child, ended } = launchIn(cwd, ["exec", ...writeCommand(cwd, trap)]);
    await expect.poll(() => addressIn(cwd)).toBeDefined();
    child.kill("SIGTERM");
    expect((await ended).code).toBe(137);
    expect(processesOf(cwd)).toEqual([]);
  });
});

it("a start removes the temporary folders of killed processes, and no others", async () => {
  const cwd = workingFolder();
  const nameOf = (pid: number, machine: string) => `emulator-${pid}-${machine}-abc123`;
  const { pid } = spawnSync("true");
  const others = [nameOf(process.pid, hostname()), nameOf(pid, "other"), `mine-${pid}`];
  for (const name of [nameOf(pid, hostname()), ...others])
    mkdirSync(join(cwd, name, "objects"), { recursive: true });
  await start(["--data", "d"], { cwd, env: { TMPDIR: cwd } });
  await expect.poll(() => readdirSync(cwd).sort()).toEqual([...others, "d"].sort());
});
