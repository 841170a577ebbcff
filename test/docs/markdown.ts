import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A fenced block of a page. */
export interface Block {
  /** The page and the line of its fence. */
  readonly place: string;
  readonly language: string;
  /** False when its fence says `no-run: <why>`. */
  readonly isRun: boolean;
  /** Why it is not run; empty where nothing is said. */
  readonly why: string;
  /** Name of the file that its first line, a comment, says it is. */
  readonly file: string | undefined;
  /** Without the line that names the file. */
  readonly text: string;
}

/** The pages for users, by their paths from the root. */
export const PAGES: readonly string[] = [
  "README.md",
  "AGENTS.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`)
    .sort(),
];

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

const FENCE = /^```(\w+)(?: (no-run)(?:: (.+))?)?\n([\s\S]*?)^```$/gm;
const FILE_NAME = /^(?:#|\/\/) ([\w./-]+\.(?:ts|mjs|yaml|json|py|toml))\n/;

export function blocksOf(page: string): readonly Block[] {
  const text = readPage(page);
  return [...text.matchAll(FENCE)].map(({ index, 1: language = "", 2: mark, 3: why = "", 4: body = "" }) => {
    const [heading, file] = FILE_NAME.exec(body) ?? [""];
    const line = text.slice(0, index).split("\n").length;
    return {
      place: `${page}:${line}`,
      language,
      isRun: mark === undefined,
      why,
      file,
      text: body.slice(heading.length),
    };
  });
}
