import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { run, workingFolder } from "../support/emulator-process.ts";

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

it("zsh and fish are given the same words", async () => {
  const zsh = await scriptFor("zsh");
  expect(zsh).toMatch(/^#compdef emulator$/m);
  expect(zsh).toMatch(/^ {4}"clock"\) offered="show advance until next freeze flow" ;;$/m);
  const fish = await scriptFor("fish");
  expect(fish).toMatch(/^complete -c emulator -f -n __fish_use_subcommand -a clock -d '.+'$/m);
  expect(fish).toMatch(
    /^complete -c emulator -n '__fish_seen_subcommand_from snapshot; and __fish_seen_subcommand_from import' -l secrets -r -d '.+'$/m,
  );
});

it("refuses a shell that it does not know", async () => {
  expect(await run(["completion", "tcsh"], { cwd: workingFolder() })).toEqual({
    code: 2,
    stdout: "",
    stderr: "emulator: tcsh: unknown action of completion; give one of bash, zsh, fish\n",
  });
});
