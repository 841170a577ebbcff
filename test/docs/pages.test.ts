import { beforeAll, describe, expect, it } from "vitest";
import { isFull, someOf } from "../support/depth.ts";
import { type Outcome, run, workingFolder } from "../support/emulator-process.ts";
import { openRelay } from "./command-relay.ts";
import { shellMutants } from "./decisive-lines.ts";
import { blocksOf, PAGES } from "./markdown.ts";
import { createReader, type Reader } from "./page-run.ts";

const VERIFIED = /export [0-9a-f-]{36}: verified, \d+ rows in \d+ files?$/m;

/** How many pages run side by side, and the limit for one that hangs. */
const AT_ONCE = 2;
const ALL_MS = 1_800_000;

/** One page in so many is run without full depth; of the others, only commands and flags are checked. */
const ONE_IN = isFull ? 1 : 16;

const pages = PAGES.filter((page) => blocksOf(page).some(({ isRun }) => isRun)).filter(
  (_, place) => place % ONE_IN === 0,
);
const mutants = someOf(pages.flatMap((page) => shellMutants(blocksOf(page).filter(({ isRun }) => isRun))));
const outcomes = new Map<string, Outcome>();

// What they start is ended after each test.
beforeAll(async () => {
  const waiting = [...pages.map((page) => ({ name: page, content: blocksOf(page) })), ...mutants];
  const readOn = async ({ read }: Reader): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      outcomes.set(next.name, await read(next.content));
  };
  const relay = await openRelay();
  await Promise.all(Array.from({ length: AT_ONCE }, () => readOn(createReader(relay))));
  relay.close();
}, ALL_MS);

describe("the commands of a page succeed", () => {
  it.each(pages)("%s", (page) => {
    const { stdout, ...outcome } = outcomes.get(page) ?? { stdout: "" };
    expect(outcome, stdout).toEqual({ code: 0, stderr: "" });
    const verifies = blocksOf(page).some(({ isRun, text }) => isRun && /--wait$|verify-export/m.test(text));
    if (verifies) expect(stdout).toMatch(VERIFIED);
  });
});

it.each(mutants.map(({ name, content }) => [name, content] as const))("a page fails: %s", (name, content) => {
  const { code, stderr } = outcomes.get(name) ?? {};
  expect(code).not.toBe(0);
  // In the block that lacks the line, not before.
  expect(stderr).toContain(`${content.at(-1)?.place} failed`);
});

/** The commands of the emulator in blocks that are not run here, with the word behind each, by which a group finds its action. */
function commandsNotRun(): Map<string, Set<string>> {
  const mentions = new Map<string, Set<string>>();
  const texts = PAGES.flatMap((page) =>
    blocksOf(page).filter(({ isRun }) => !isRun || !pages.includes(page)),
  ).map(({ text }) => text.replace(/ #.*$/gm, ""));
  const called = texts.join("\n").matchAll(/npx emulator ([\w-]+(?: [a-z]+)?)(.*)$/gm);
  for (const [, command = "", words = ""] of called) {
    const flags = mentions.get(command) ?? new Set();
    for (const [flag] of words.matchAll(/--[a-z][\w-]*/g)) flags.add(flag);
    mentions.set(command, flags);
  }
  return mentions;
}

it("blocks that are not run name commands and flags that exist", async () => {
  const cwd = workingFolder();
  for (const [command, flags] of commandsNotRun()) {
    const { code, stdout } = await run([...command.split(" "), "--help"], { cwd });
    expect(code, command).toBe(0);
    for (const flag of flags) expect(stdout, `${command} ${flag}`).toContain(`${flag} `);
  }
});
