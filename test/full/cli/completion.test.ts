import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { endTerminals, runOnTerminal } from "../../support/terminal.ts";
import { openVerbs } from "../../support/verbs.ts";

afterEach(endTerminals);

/** What is typed up to the key for completion, and the words that the command is then run with. */
const TYPED = [
  ["emulator snap", "snapshot"],
  ["emulator clock adv", "clock advance"],
  ["emulator export create --forma", "export create --format-version"],
  ["emulator start --clock fro", "start --clock frozen"],
  ["emulator start --clock=fro", "start --clock=frozen"],
  ["emulator contract run --profile obs", "contract run --profile observed"],
  ["emulator fault arm worker_cr", "fault arm worker_crash"],
  ["emulator verify-export 0190", "verify-export 0190a6c0"],
  ["emulator clock until 0190", "clock until 0190a6c0"],
  ["emulator status --world what", "status --world what-if"],
  ["emulator snapshot import file.ta", "snapshot import file.tar"],
] as const;

/** Interactive shells without the configuration of the user, and what turns completion on. */
const SHELLS = [
  ["bash", ["--norc", "--noprofile", "-i"], "source ./script; bind 'set enable-bracketed-paste off'"],
  ["zsh", ["-f", "-i"], "autoload -U compinit && compinit -D -u; source ./script"],
] as const;

/** Stands for the program, with one export and one world. */
const PROGRAM =
  'emulator() { case "$*" in *"values exports") echo 0190a6c0;; *"values worlds") echo what-if;; *) echo "ran: $*;";; esac; }';

const isThere = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

describe.each(SHELLS)("in %s", (shell, flags, begin) => {
  // `.ci/run` installs the shells.
  it.skipIf(!process.env.CI && !isThere(shell))("the key for completion completes", async () => {
    const cwd = workingFolder();
    writeFileSync(join(cwd, "script"), await scriptFor(shell));
    writeFileSync(join(cwd, "file.tar"), "");
    const terminal = runOnTerminal(flags, { cwd, env: { HOME: cwd, TERM: "dumb" } }, [shell]);
    terminal.type(`${begin}; ${PROGRAM}; echo loa''ded\n`);
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
      // One word of a command line may not have as many bytes as the script.
      const program = join(cwd, "completion.fish");
      writeFileSync(
        program,
        `function emulator; string match -q "*exports" -- "$argv"; and echo 0190a6c0; or echo what-if; end
${script}\ncomplete -C ${JSON.stringify(line)}`,
      );
      const options = { cwd, env: { PATH: process.env.PATH, HOME: cwd }, encoding: "utf8" } as const;
      const offered = execFileSync("fish", ["--no-config", program], options).split("\n");
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

it("the values are those of the running emulator", async () => {
  const verbs = await openVerbs();
  await verbs.lines("world", "create", "what-if");
  await verbs.lines("snapshot", "save", "before");
  await verbs.lines(
    "traces",
    "generate",
    "--count",
    "3",
    "--project",
    "shop",
    "--from",
    "2026-02-25",
    "--to",
    "2026-02-26",
  );
  const words = ["--project", "shop", "--from", "2026-02-25", "--to", "2026-02-26"];
  const { export: bulkExport } = await verbs.json<{ export: { id: string } }>("export", "create", ...words);
  expect(await verbs.lines("completion", "values", "worlds")).toEqual(["main", "what-if"]);
  expect(await verbs.lines("completion", "values", "snapshots")).toContain("before");
  expect(await verbs.lines("completion", "values", "exports")).toEqual([bulkExport.id]);
  expect(await verbs.lines("completion", "values", "limits")).toContain("runs_query_key");
});

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
    stderr: "emulator: completion tcsh: unknown command; give one of bash, zsh, fish, values\n",
  });
});
