import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { blocksOf, PAGES, ROOT, readPage } from "./markdown.ts";

const INDEX = "docs/README.md";
const README_MAX_BYTES = 11 * 1024;
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
const FENCED = /^```[\s\S]*?^```$/gm;

/** Links of a page that lead to another file or heading of the project. */
function linksOf(page: string): readonly string[] {
  const links = [...readPage(page).replace(FENCED, "").matchAll(LINK)].map(([, target = ""]) => target);
  return links.filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a page's headings, as GitHub and npm make them. */
function anchorsOf(path: string): readonly string[] {
  const text = readFileSync(path, "utf8").replace(FENCED, "");
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function isThere(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? join(ROOT, page) : join(ROOT, dirname(page), path);
  return existsSync(target) && (anchor === undefined || anchorsOf(target).includes(anchor));
}

describe("the pages for users", () => {
  it.each(PAGES)("%s links to files and headings that exist", (page) => {
    expect(linksOf(page).filter((link) => !isThere(page, link))).toEqual([]);
  });

  it("are all linked from the index, to which README.md leads", () => {
    const linked = new Set(linksOf(INDEX).map((link) => join("docs", link)));
    expect(PAGES.filter((page) => page.startsWith("docs/") && page !== INDEX && !linked.has(page))).toEqual(
      [],
    );
    expect(linksOf("README.md")).toContain(INDEX);
  });

  it("link only to what the package holds, so that the links work there as well", () => {
    const { files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      files: readonly string[];
    };
    const packed = ["README.md", "CHANGELOG.md", ...files];
    const isPacked = (path: string) => packed.some((entry) => path === entry || path.startsWith(`${entry}/`));
    const targets = PAGES.flatMap((page) =>
      linksOf(page)
        .map((link) => link.split("#")[0] ?? "")
        .filter((path) => path !== "")
        .map((path) => relative(ROOT, join(ROOT, dirname(page), path))),
    );
    expect(targets.filter((path) => !isPacked(path))).toEqual([]);
  });

  it("begin with a README that a newcomer reads to the end", () => {
    expect(Buffer.byteLength(readPage("README.md"))).toBeLessThanOrEqual(README_MAX_BYTES);
  });
});

it("a block that is not run says why, and every fence is read", () => {
  const blocks = PAGES.flatMap(blocksOf);
  expect(blocks.filter(({ isRun, why }) => !isRun && why === "").map(({ place }) => place)).toEqual([]);
  const fences = PAGES.map((page) => readPage(page).match(/^```/gm)?.length ?? 0);
  expect(2 * blocks.length).toBe(fences.reduce((sum, count) => sum + count, 0));
});

it("a recipe is read in a minute", () => {
  const recipes = PAGES.filter((page) => page.startsWith("docs/do/"));
  expect(recipes.filter((page) => readPage(page).trimEnd().split("\n").length > 60)).toEqual([]);
  expect(recipes.length).toBeGreaterThan(20);
});
