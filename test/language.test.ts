// Texts are written in plain technical English: CONTRIBUTING.md, "Language", has the rules; test/language/phrases.ts the words.
// To list what a folder or file still has:
//   LANGUAGE=emulator/s3 npx vitest run --config test/vitest.config.ts --root . test/language.test.ts
import { expect, it } from "vitest";
import { EXCEPTIONS, PARTICIPLES, PHRASES } from "./language/phrases.ts";
import { checkedFiles, codeTexts, type Kind, sourceOf, type Texts, textsOf } from "./language/source-text.ts";

const SELECTED = process.env.LANGUAGE;

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

function findings(path: string, texts: Texts): readonly string[] {
  return Object.entries(texts).flatMap(([kind, text]) =>
    PHRASES.filter((phrase) => phrase.in?.includes(kind as Kind) ?? true).flatMap(({ pattern, use }) =>
      [...text.matchAll(pattern)]
        .filter(({ 0: match }) => !isAllowed(path, match))
        .map(({ 0: match, index }) => {
          const line = text.slice(0, index).split("\n").length;
          return `${path}:${line}: "${match.replace(/\s+/g, " ")}": write ${use}`;
        }),
    ),
  );
}

function isAllowed(path: string, match: string): boolean {
  return EXCEPTIONS.some(
    (exception) => isBelow(path, exception.path) && (exception.text?.test(match) ?? true),
  );
}

it("texts, comments and pages use plain words", () => {
  const files = checkedFiles().filter((path) => !SELECTED || isBelow(path, SELECTED.replace(/\/$/, "")));
  const problems = files.flatMap((path) => findings(path, textsOf(path)));
  if (problems.length > 0) expect.fail(problems.join("\n"));
});

/** The names of constants, variables, first parameters and parts of arrays that are only a participle. */
function participleNames(source: string): readonly string[] {
  const declaration = new RegExp(
    `(?:\\b(?:const|let) \\[?|\\((?=\\w+(?:\\??: (?!\\$)|(?:, \\w+)*\\) =>))|\\bfunction \\w+\\(\\s*)(${PARTICIPLES})\\b`,
    "g",
  );
  return [...source.matchAll(declaration)].map(({ 1: name = "" }) => name);
}

it("values are named by nouns", () => {
  const files = checkedFiles().filter((path) =>
    /^(bin|contracts|emulator|scenarios|test)\/.*\.(tsx?|mjs)$/.test(path),
  );
  const names = files.flatMap((path) =>
    participleNames(sourceOf(path)).map(
      (name) => `${path}: "${name}": write a noun that says what the value is`,
    ),
  );
  expect(names).toEqual([]);
});

it("finds a participle as the name of a value, and not in a longer name or a member", () => {
  const source = [
    "const found = 1; let [known] = []; const foundRun = { asked: 1 };",
    "function first(given: string, more = 1) {}",
    "rows.map((sent) => sent.id).sort((shown, b) => 0); told(1);",
  ].join("\n");
  expect(participleNames(source)).toEqual(["found", "known", "given", "sent", "shown"]);
});

it("finds a phrase in strings, templates, comments and JSX, and not in code", () => {
  const source = [
    "/** It goes",
    " * on. */",
    "const odd = /odd ones/.test(`odd`) ? `a ${b ? `${c} is no d` : 1} odd` : 'in sight';",
    "const page = <p>It is <b>beside</b> you</p>;",
  ].join("\n");
  expect(findings("x.tsx", codeTexts(source)).map((line) => line.replace(/: write.*/, ""))).toEqual([
    'x.tsx:3: "is no"',
    'x.tsx:3: "in sight"',
    'x.tsx:4: "beside"',
    'x.tsx:3: "odd"',
    'x.tsx:1: "goes on"',
  ]);
});
