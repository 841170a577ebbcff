import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { run, workingFolder } from "../support/emulator-process.ts";
import { endTerminals, runOnTerminal } from "../support/terminal.ts";

afterEach(endTerminals);

/** What is typed up to the key for completion, and the words that the command is then run with. */
const TYPED = [
  ["emulator snap", "snapshot"],
  ["emulator clock adv", "clock advance"],
  ["emulator export create --forma", "export create --format-version"],
  ["emulator start --clock fro", "start --clock frozen"],
  ["emulator start --clock=fro", "start --clock=frozen"],
  ["emulator contract run --profile obs", "contract run --profile observed"],
  ["emulator snapshot import file.ta", "snapshot import file.tar"],
] as const;

/** Interactive shells without the configuration of the user, and what turns completion on. */
const SHELLS = [
  ["bash", ["--norc", "--noprofile", "-i"], "source ./script; bind 'set enable-bracketed-paste off'"],
  ["zsh", ["-f", "-i"], "autoload -U compinit && compinit -D -u; source ./script"],
] as const;

const isThere = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

describe.each(SHELLS)("in %s", (shell, flags, begin) => {
  // `.ci/run` installs the shells.
  it.skipIf(!process.env.CI && !isThere(shell))("the key for completion completes", async () => {
    const cwd = workingFolder();
    writeFileSync(join(cwd, "script"), await scriptFor(shell));
    writeFileSync(join(cwd, "file.tar"), "");
    const terminal = runOnTerminal(flags, { cwd, env: { HOME: cwd, TERM: "dumb" } }, [shell]);
    terminal.type(`${begin}; emulator() { echo "ran: $*;"; }; echo loa''ded\n`);
    await terminal.shows(/loaded/);
    for (const [line, completed] of TYPED) {
      terminal.type(`${line}\t\n`);
      await terminal.shows(new RegExp(`ran: ${completed} ?;`));
    }
    // It may still write its history into the folder.
    terminal.type("exit\n");
    await terminal.ended;
  });
});

describe("in fish", () => {
  it.skipIf(!process.env.CI && !isThere("fish"))("verbs, flags and values are completed", async () => {
    const script = await scriptFor("fish");
    const cwd = workingFolder();
    for (const [line, completed] of TYPED.slice(0, -1)) {
      const program = `${script}\ncomplete -C ${JSON.stringify(line)}`;
      const options = { cwd, env: { PATH: process.env.PATH, HOME: cwd }, encoding: "utf8" } as const;
      const offered = execFileSync("fish", ["--no-config", "-c", program], options).split("\n");
      const last = completed.split(" ").at(-1);
      expect(offered.map((each) => each.split("\t")[0])).toContain(last);
    }
  });
});

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout } = await run(["completion", shell], { cwd: workingFolder() });
  expect(code).toBe(0);
  return stdout;
}

/** What bash offers once it has read the script. */
function offered(script: string, line: string): readonly string[] {
  const words = line.split(" ");
  const program = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
_emulator; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["--norc", "-c", program], { encoding: "utf8" }).trim().split("\n");
}

it("bash completes commands, actions and flags", async () => {
  const script = await scriptFor("bash");
  expect(offered(script, "emulator st")).toEqual(["start", "status", "stop"]);
  expect(offered(script, "emulator clock ")).toEqual(["show", "advance", "until", "next", "freeze", "flow"]);
  expect(offered(script, "emulator export create --f")).toEqual([
    "--from",
    "--filter",
    "--fields",
    "--format-version",
  ]);
  expect(offered(script, "emulator verify-export 1 --wor")).toEqual(["--world"]);
  expect(offered(script, "emulator start --seed 7 --ready-")).toEqual(["--ready-file"]);
  expect(offered(script, "emulator nonsense --")).toEqual([""]);
});

it("refuses a shell that it does not know", async () => {
  expect(await run(["completion", "tcsh"], { cwd: workingFolder() })).toEqual({
    code: 2,
    stdout: "",
    stderr: "emulator: completion tcsh: unknown command; give one of bash, zsh, fish\n",
  });
});
