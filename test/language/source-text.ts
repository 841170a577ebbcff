import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDERS = ["bench", "bin", "contracts", "docs", "emulator", "fixtures", "scenarios", "test"];
const ROOT_FILES = ["AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"];

/** `text`: string literals that contain a space, and text of JSX. `comment`: comments and docstrings. `prose`: pages. */
export type Kind = "text" | "comment" | "prose";

/** Parts of a file, with every other character replaced by `GAP`. Lines stay the same. */
export type Texts = Partial<Record<Kind, string>>;

const READERS: Readonly<Record<string, (source: string) => Texts>> = {
  ".md": (source) => ({ prose: proseOf(source) }),
  ".yaml": (source) => ({ prose: source.replace(/\{.*\}/g, blank) }),
  ".py": (source) => ({ text: source }),
  ".ts": codeTexts,
  ".tsx": codeTexts,
  ".mjs": codeTexts,
};

/** The pages to look up are generated: their tables are checked. */
const IGNORED = /(^|\/)(node_modules|results|__pycache__)\/|^test\/language[./]|^docs\/look-up\//;

/** The paths of all files that are checked, from the root. */
export function checkedFiles(): readonly string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  return [...ROOT_FILES, ...inFolders].filter((path) => !IGNORED.test(path) && READERS[extname(path)]).sort();
}

export function sourceOf(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

export function textsOf(path: string): Texts {
  return READERS[extname(path)]?.(sourceOf(path)) ?? {};
}

const GAP = "\u00b7";

function blank(text: string): string {
  return text.replace(/\S+(?:[^\S\n]+\S+)*/g, GAP);
}

/** A page without inline code, link targets and, in its code blocks, everything but comments. */
function proseOf(page: string): string {
  return page
    .replace(/^```[\s\S]*?^```$/gm, (block) =>
      block
        .split("\n")
        .map((line) => line.replace(/^(?:.*?\s)??(?=(?:#|\/\/) )|^.*$/, blank))
        .join("\n"),
    )
    .replace(/`[^`]+`|\]\([^)]*\)/g, blank);
}

const TOKEN =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<regexp>(?<=[(,=:[!&|?{};+\n]\s*|\breturn )\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/)|(?<tick>`)|(?<brace>[{}])/y;
const JSX_TEXT = /(?<=[>}])[^<>{}=;()]*[a-z]{2}[^<>{}=;()]*(?=[<{])/g;

/** The texts and comments of TypeScript and JavaScript. What a template inserts is left out. */
export function codeTexts(source: string): Texts {
  const ranges: Record<"text" | "comment", [number, number][]> = { text: [], comment: [] };
  const keep = (kind: "text" | "comment", from: number, to: number) => void ranges[kind].push([from, to]);
  let position = 0;

  function readTemplate(): void {
    const parts: [number, number][] = [];
    let from = position;
    while (position < source.length && source[position] !== "`") {
      if (source.startsWith("${", position)) {
        parts.push([from, position]);
        position += 2;
        readCode();
        from = position;
      } else position += source[position] === "\\" ? 2 : 1;
    }
    parts.push([from, position]);
    position += 1;
    if (parts.some(([start, end]) => source.slice(start, end).includes(" ")))
      for (const [start, end] of parts) keep("text", start, end);
  }

  /** Reads up to the brace that closes what the caller has opened, or to the end. */
  function readCode(): void {
    for (let depth = 0; position < source.length; ) {
      TOKEN.lastIndex = position;
      const { 0: token = "", groups = {} } = TOKEN.exec(source) ?? {};
      const start = position;
      position += token.length || 1;
      if (groups.comment) keep("comment", start, position);
      else if (groups.string && token.includes(" ")) keep("text", start + 1, position - 1);
      else if (groups.tick) readTemplate();
      else if (groups.brace) depth += token === "{" ? 1 : -1;
      if (depth < 0) return;
    }
  }

  readCode();
  if (source.includes("/>") || source.includes("</"))
    for (const { 0: text, index } of source.matchAll(JSX_TEXT)) keep("text", index, index + text.length);
  const only = (kind: "text" | "comment") => {
    let [from, text] = [0, ""];
    for (const [start, end] of ranges[kind].sort(([a], [b]) => a - b)) {
      text += blank(source.slice(from, start)) + source.slice(Math.max(from, start), end);
      from = Math.max(from, end);
    }
    return text + blank(source.slice(from));
  };
  return { text: only("text"), comment: only("comment").replace(/^(\s*)(\*|\/\/)/gm, "$1 ") };
}
