import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { CLI, launch, workingFolder } from "../../support/emulator-process.ts";
import { CTRL_C, endTerminals, runOnTerminal } from "../../support/terminal.ts";

const hasTerminals = spawnSync("python3", ["-c", "import pty, termios"]).status === 0;

if (!hasTerminals)
  process.stderr.write("the keys of `emulator start` are NOT TESTED: no python3 with pty is here\n");

afterEach(endTerminals);

/** A folder with a program that notes what it is asked to open, in the place of a browser. */
function folderWithOpener() {
  const cwd = workingFolder();
  for (const name of ["xdg-open", "open"]) {
    writeFileSync(join(cwd, name), `#!/bin/sh\necho "$1" >> ${join(cwd, "opened")}\n`);
    chmodSync(join(cwd, name), 0o755);
  }
  return { cwd, env: { PATH: `${cwd}:${process.env.PATH}` } };
}

const START = ["start", "--port", "0", "--ephemeral"];

describe.skipIf(!hasTerminals)("emulator start on a terminal", () => {
  it("opens the console with o, prints that hint once, and restores the terminal at Ctrl-C", async () => {
    const surroundings = folderWithOpener();
    const terminal = runOnTerminal(START, surroundings);
    const [, address] = /console: (\S+)/.exec(await terminal.shows(/press o to open the console/)) ?? [];
    const file = join(surroundings.cwd, "opened");
    const opened = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
    terminal.type("x");
    terminal.type("o");
    await expect.poll(opened).toBe(`${address}\n`);
    terminal.type("o");
    await expect.poll(opened).toBe(`${address}\n${address}\n`);
    terminal.type(CTRL_C);
    const { output, ...ended } = await terminal.ended;
    expect(ended).toEqual({ code: 0, readsLines: true, echoes: true });
    expect(output.match(/press o/g)).toHaveLength(1);
    expect(output).toMatch(/stopped\r\n$/);
  });

  it("prints the address when no program opens it", async () => {
    const program = ["env", "PATH=/nowhere", process.execPath, CLI];
    const terminal = runOnTerminal(START, { cwd: workingFolder() }, program);
    await terminal.shows(/press o/);
    terminal.type("o");
    await terminal.shows(/no program here opens an address; open http\S+ in a browser/);
    terminal.type(CTRL_C);
    expect(await terminal.ended).toMatchObject({ code: 0 });
  });

  it("leaves the terminal to others while it is in the background, and is not stopped by it", async () => {
    const cwd = workingFolder();
    const words = [process.execPath, CLI, ...START, "--ready-file", "ready.json"];
    const command = words.map((word) => `'${word}'`).join(" ");
    const script = `set -m; ${command} & read -r line; kill %1; wait %1; echo ended with $?`;
    const terminal = runOnTerminal(["-c", script], { cwd }, ["bash"]);
    await terminal.shows(/console: /);
    const { url } = JSON.parse(readFileSync(join(cwd, "ready.json"), "utf8"));
    expect((await run(["status", "--url", url], { cwd })).code).toBe(0);
    terminal.type("o\n");
    await terminal.shows(/ended with 0/);
    const { output, ...ended } = await terminal.ended;
    expect(ended).toEqual({ code: 0, readsLines: true, echoes: true });
    expect(output).not.toContain("press o");
  });
});

describe("emulator start without a terminal", () => {
  it("prints no hint about keys and ignores them", async () => {
    const surroundings = folderWithOpener();
    const { child, ended } = launch(START, surroundings);
    let output = "";
    child.stdout.on("data", (text) => {
      output += text;
    });
    child.stdin.write("o");
    await expect.poll(() => output).toMatch(/console: http/);
    child.stdin.end("o");
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0, stdout: expect.not.stringContaining("press") });
    expect(existsSync(join(surroundings.cwd, "opened"))).toBe(false);
  });
});
