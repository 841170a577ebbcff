import { expect, it } from "vitest";
import { run } from "../support/command-line.ts";
import { workingFolder } from "../support/emulator-process.ts";
import { blocksOf, PAGES } from "./markdown.ts";
import { problemOf, readPages } from "./pages.ts";

/** `test/full/docs/pages.test.ts` runs all of them. */
const READ = ["docs/learn/first-export.md", "docs/do/late-rows.md", "docs/understand/time.md"];

it("the commands of a first export, of a task and of an explanation succeed", async () => {
  const outcomes = await readPages(READ.map((name) => ({ name, content: blocksOf(name) })));
  for (const page of READ) expect(problemOf(page, outcomes.get(page)), page).toBeUndefined();
});

/** The commands of the emulator of all blocks, with the word behind each, by which a group finds its action. */
function commandsOfPages(): Map<string, Set<string>> {
  const mentions = new Map<string, Set<string>>();
  const texts = PAGES.flatMap(blocksOf).map(({ text }) => text.replace(/ #.*$/gm, ""));
  const called = texts.join("\n").matchAll(/npx emulator ([\w-]+(?: [a-z]+)?)(.*)$/gm);
  for (const [, command = "", words = ""] of called) {
    const flags = mentions.get(command) ?? new Set();
    for (const [flag] of words.matchAll(/--[a-z][\w-]*/g)) flags.add(flag);
    mentions.set(command, flags);
  }
  return mentions;
}

it("blocks name commands and flags that exist", async () => {
  const cwd = workingFolder();
  for (const [command, flags] of commandsOfPages()) {
    const { code, stdout } = await run([...command.split(" "), "--help"], { cwd });
    expect(code, command).toBe(0);
    for (const flag of flags) expect(stdout, `${command} ${flag}`).toContain(`${flag} `);
  }
});
