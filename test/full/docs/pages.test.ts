import { beforeAll, expect, it } from "vitest";
import { blocksOf, PAGES } from "../../docs/markdown.ts";
import { problemOf, readPages } from "../../docs/pages.ts";
import type { Outcome } from "../../support/emulator-process.ts";
import { shellMutants } from "./decisive-lines.ts";

/** A limit for a page that hangs. */
const ALL_MS = 1_800_000;

const pages = PAGES.filter((page) => blocksOf(page).some(({ isRun }) => isRun));
const mutants = pages.flatMap((page) => shellMutants(blocksOf(page).filter(({ isRun }) => isRun)));
let outcomes: ReadonlyMap<string, Outcome>;

beforeAll(async () => {
  outcomes = await readPages([...pages.map((name) => ({ name, content: blocksOf(name) })), ...mutants]);
}, ALL_MS);

it.each(pages)("the commands of a page succeed: %s", (page) => {
  expect(problemOf(page, outcomes.get(page))).toBeUndefined();
});

it.each(mutants.map(({ name, content }) => [name, content] as const))("a page fails: %s", (name, content) => {
  const { code, stderr } = outcomes.get(name) ?? {};
  expect(code).not.toBe(0);
  // In the block that lacks the line, not before.
  expect(stderr).toContain(`${content.at(-1)?.place} failed`);
});
