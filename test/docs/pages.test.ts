import { describe, expect, it } from "vitest";
import { run, workingFolder } from "../support/emulator-process.ts";
import { blocksOf, PAGES } from "./markdown.ts";
import { runPage } from "./page-run.ts";

const PAGE_MS = 180_000;

describe("what a page tells its reader to run succeeds", () => {
  const exporting = ["README.md", "docs/do/export-by-hand.md"];
  const others = PAGES.filter((page) => !exporting.includes(page));

  it.each(exporting)(
    "%s, which brings about a verified export",
    async (page) => {
      const { stdout, ...outcome } = await runPage(page);
      expect(outcome).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/export [0-9a-f-]{36}: verified, 500 rows in \d+ files$/m);
    },
    PAGE_MS,
  );

  it.each(others)(
    "%s",
    async (page) => {
      const { stdout, ...outcome } = await runPage(page);
      expect(outcome, stdout).toEqual({ code: 0, stderr: "" });
    },
    PAGE_MS,
  );
});

/** The commands of the emulator in blocks that are not run, with the word behind each, by which a group finds its action. */
function commandsNotRun(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const texts = PAGES.flatMap(blocksOf)
    .filter(({ isRun }) => !isRun)
    .map(({ text }) => text.replace(/ #.*$/gm, ""));
  const called = texts.join("\n").matchAll(/npx emulator ([\w-]+(?: [a-z]+)?)(.*)$/gm);
  for (const [, command = "", words = ""] of called) {
    const flags = found.get(command) ?? new Set();
    for (const [flag] of words.matchAll(/--[a-z][\w-]*/g)) flags.add(flag);
    found.set(command, flags);
  }
  return found;
}

it("blocks that are not run name commands and flags that exist", async () => {
  const cwd = workingFolder();
  for (const [command, flags] of commandsNotRun()) {
    const { code, stdout } = await run([...command.split(" "), "--help"], { cwd });
    expect(code, command).toBe(0);
    for (const flag of flags) expect(stdout, `${command} ${flag}`).toContain(`${flag} `);
  }
});
