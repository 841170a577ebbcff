import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { CLI, endProcesses, run, workingFolder } from "../support/emulator-process.ts";

const TERMINAL = fileURLToPath(new URL("../support/terminal.py", import.meta.url));
const hasTerminals = spawnSync("python3", ["-c", "import pty, termios"]).status === 0;

if (!hasTerminals)
  process.stderr.write("the keys of `emulator start` are NOT TESTED: no python3 with pty is here\n");

const terminals: ChildProcess[] = [];

afterEach(() => {
  // What runs on a terminal that is gone ends with it.
  for (const terminal of terminals.splice(0)) terminal.kill("SIGKILL");
  endProcesses();
});

/** A folder with a program that notes what it is asked to open, in the place of a browser. */
function folderWithOpener(): string {
  const cwd = workingFolder();
  for (const name of ["xdg-open", "open"]) {
    writeFileSync(join(cwd, name), `#!/bin/sh\necho "$1" >> ${join(cwd, "opened")}\n`);
    chmodSync(join(cwd, name), 0o755);
  }
  return cwd;
}

/** Runs words on a terminal of their own. */
function onTerminal(words: readonly string[], cwd: string) {
  const PATH = `${cwd}:${process.env.PATH}`;
  const child = spawn("python3", [TERMINAL, ...words], { cwd, env: { ...process.env, PATH } });
  terminals.push(child);
  let shown = "";
  let state = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    shown += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    state += text;
  });
  const ended = new Promise<unknown>((done) => {
    child.on("close", () => done(JSON.parse(state.trim().split("\n").at(-1) ?? "")));
  });
  return {
    type: (keys: string) => child.stdin.write(keys),
    until: (text: RegExp) => expect.poll(() => shown).toMatch(text),
    shown: () => shown,
    ended,
  };
}

const START = [process.execPath, CLI, "start", "--port", "0", "--ephemeral"];

describe.skipIf(!hasTerminals)("emulator start on a terminal", () => {
  it("opens the console with o, prints that hint once, and restores the terminal at Ctrl-C", async () => {
    const cwd = folderWithOpener();
    const terminal = onTerminal(START, cwd);
    await terminal.until(/press o to open the console/);
    const address = /console: (\S+)/.exec(terminal.shown())?.[1];
    const opened = () => (existsSync(join(cwd, "opened")) ? readFileSync(join(cwd, "opened"), "utf8") : "");
    terminal.type("x");
    terminal.type("o");
    await expect.poll(opened).toBe(`${address}\n`);
    terminal.type("o");
    await expect.poll(opened).toBe(`${address}\n${address}\n`);
    terminal.type("\u0003");
    expect(await terminal.ended).toEqual({ code: 0, lines: true, echo: true });
    expect(terminal.shown().match(/press o/g)).toHaveLength(1);
  });

  it("prints the address when no program opens it", async () => {
    const cwd = workingFolder();
    const terminal = onTerminal(["env", "PATH=/nowhere", ...START], cwd);
    await terminal.until(/press o/);
    terminal.type("o");
    await terminal.until(/no program here opens an address; open http\S+ in a browser/);
    terminal.type("\u0003");
    expect(await terminal.ended).toMatchObject({ code: 0 });
  });

  it("leaves the terminal to others while it is in the background, and is not stopped by it", async () => {
    const cwd = workingFolder();
    const started = `${START.map((word) => `'${word}'`).join(" ")} --ready-file ready.json`;
    const script = `set -m; ${started} & read -r line; kill %1; wait %1; echo ended with $?`;
    const terminal = onTerminal(["bash", "-c", script], cwd);
    await terminal.until(/console: /);
    const { url } = JSON.parse(readFileSync(join(cwd, "ready.json"), "utf8"));
    expect((await run(["status", "--url", url], { cwd })).code).toBe(0);
    terminal.type("o\n");
    await terminal.until(/ended with 0/);
    expect(await terminal.ended).toMatchObject({ code: 0, lines: true, echo: true });
    expect(terminal.shown()).not.toContain("press o");
  });
});

describe("emulator start without a terminal", () => {
  it("prints no hint about keys and ignores them", async () => {
    const cwd = folderWithOpener();
    const child = spawn(process.execPath, [...START.slice(1), "--ready-file", "ready.json"], { cwd });
    let shown = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      shown += text;
    });
    child.stdin.write("o");
    await expect.poll(() => shown).toMatch(/console: http/);
    child.stdin.end("o");
    child.kill("SIGTERM");
    expect(await new Promise((done) => child.on("close", done))).toBe(0);
    expect(shown).not.toContain("press");
    expect(existsSync(join(cwd, "opened"))).toBe(false);
  });
});
