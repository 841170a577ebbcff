import type { Outcome } from "../support/emulator-process.ts";
import { openRelay } from "./command-relay.ts";
import { type Block, blocksOf } from "./markdown.ts";
import { createReader, type Reader } from "./page-run.ts";

/** A page, or a page that lacks a line. */
export interface Page {
  readonly name: string;
  readonly content: readonly Block[];
}

/** How many pages run side by side. */
const AT_ONCE = 2;

/** The outcome of each page by its name. What the pages start is ended after the test. */
export async function readPages(pages: readonly Page[]): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  const waiting = [...pages];
  const readOn = async ({ read }: Reader): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      outcomes.set(next.name, await read(next.content));
  };
  const relay = await openRelay();
  await Promise.all(Array.from({ length: AT_ONCE }, () => readOn(createReader(relay))));
  relay.close();
  return outcomes;
}

const VERIFIED = /export [0-9a-f-]{36}: verified, \d+ rows in \d+ files?$/m;

/** What is wrong with the outcome of a page whose commands must succeed; undefined if nothing is. */
export function problemOf(page: string, outcome: Outcome | undefined): unknown {
  const { code, stdout = "", stderr } = outcome ?? {};
  if (code !== 0 || stderr !== "") return { code, stdout, stderr };
  const verifies = blocksOf(page).some(({ isRun, text }) => isRun && /--wait$|verify-export/m.test(text));
  return verifies && !VERIFIED.test(stdout) ? { stdout } : undefined;
}
