import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["bin", "bench", "contracts", "emulator", "fixtures", "scenarios", "test"];
const MAX_LINES = 300;
/** Tables of cases are long without being hard to read. */
const MAX_TEST_LINES = 600;

/** What each folder may import beside itself: floors, from the lowest up. The longest match rules. */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  "contracts/spec": [],
  contracts: ["contracts/spec"],
  "emulator/kernel": ["node:crypto"],
  "emulator/domain": ["emulator/kernel", "contracts/spec", "node:crypto"],
  "emulator/operations": ["emulator/domain", "emulator/kernel", "contracts"],
  "emulator/http": ["emulator/operations", "emulator/domain", "emulator/kernel", "contracts", "ajv"],
  "emulator/control": [
    "emulator/http",
    "emulator/operations",
    "emulator/domain",
    "emulator/kernel",
    "contracts",
  ],
  "emulator/console": [
    "emulator/control",
    "emulator/http",
    "emulator/domain",
    "emulator/kernel",
    "contracts",
  ],
};

/** Folders that know no clock, no chance, no environment, no files and no network. */
const PURE = [
  "contracts",
  "emulator/kernel",
  "emulator/domain",
  "emulator/operations",
  "emulator/http",
  "emulator/control",
];

/** The harness has adapters of its own: it reaches servers that it knows nothing else of. */
const ADAPTERS = ["emulator/adapters", "contracts/adapters"];

const CALENDAR = "emulator/kernel/instant.ts";
/** The harness shares no code with what it judges, its calendar included. */
const CALENDARS = [CALENDAR, "contracts/instant.ts"];

interface Ban {
  readonly pattern: RegExp;
  readonly instead: string;
  readonly except?: readonly string[];
}

const BANS: readonly Ban[] = [
  {
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\b/,
    instead: "take `now` of the turn or of the world",
  },
  {
    pattern: /\bnew Date\(|\bDate\.(UTC|parse)\b/,
    instead: `read and write times with ${CALENDAR}`,
    except: CALENDARS,
  },
  {
    pattern: /\bMath\.random\b|\brandom(UUID|Bytes|Int)\b|\bgetRandomValues\b/,
    instead: "take `nextId` of the turn",
  },
  { pattern: /\bprocess\b\./, instead: "let an adapter pass the value in, through settings or ports" },
  { pattern: /\bset(Timeout|Interval|Immediate)\b/, instead: "schedule an event of the turn" },
  { pattern: /\bfetch\(/, instead: "ask for an effect of the turn" },
  {
    pattern: /"node:(fs|fs\/promises|net|http|https|http2|dgram|dns|tls|child_process|os|worker_threads)"/,
    instead: "put it into emulator/adapters and reach it by a port or an effect",
  },
];

/** In two pieces, so that this file is not found itself. */
const UNFINISHED = new RegExp(`\\b(${["TO", "FIX"].join("DO|")}ME)\\b`);
const SKIPPED = /\b(describe|it|test|suite)\.(skip|only|todo|fails)\b|\bx(it|describe)\(/;

interface Source {
  readonly path: string;
  readonly text: string;
  /** Without comments, which may name what is banned. */
  readonly code: string;
}

const SOURCES: readonly Source[] = FOLDERS.flatMap((folder) => sourcesIn(folder));

describe("the floors", () => {
  it.each(Object.keys(FLOORS))("%s imports only what lies below it", (folder) => {
    const allowed = FLOORS[folder] ?? [];
    const sources = SOURCES.filter(({ path }) => floorOf(path) === folder);
    const wrong = sources.flatMap((source) =>
      importsOf(source)
        .filter((target) => !isWithin(target, folder) && !allowed.some((below) => isWithin(target, below)))
        .map((target) => `${source.path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
    if (folder !== "emulator/console") expect(sources.length).toBeGreaterThan(0);
  });

  it("adapters do not import what puts them together", () => {
    const sources = within(["emulator/adapters"]);
    const wrong = sources.flatMap((source) =>
      importsOf(source)
        .filter(
          (target) =>
            /^(bin|scenarios|test|bench)\//.test(target) || /^emulator\/(start|index|site)\.ts$/.test(target),
        )
        .map((target) => `${source.path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
    expect(sources.length).toBeGreaterThan(0);
  });

  it("the harness knows nothing of what it judges", () => {
    const sources = within(["contracts"]);
    const wrong = sources.filter((source) =>
      importsOf(source).some((target) => isWithin(target, "emulator")),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
    expect(sources.length).toBeGreaterThan(0);
  });

  it("nothing outside tests and benchmarks imports them", () => {
    const shipped = within(["bin", "contracts", "emulator", "fixtures", "scenarios"]);
    const wrong = shipped.filter((source) =>
      importsOf(source).some((target) => /^(test|bench)\//.test(target)),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
    expect(shipped.length).toBeGreaterThan(0);
  });
});

describe("the bans", () => {
  it.each(BANS)("$pattern stands only in adapters: $instead", ({ pattern, except = [] }) => {
    const sources = within(PURE).filter(
      ({ path }) => !ADAPTERS.some((folder) => isWithin(path, folder)) && !except.includes(path),
    );
    expect(sources.length).toBeGreaterThan(50);
    expect(linesWith(sources, pattern)).toEqual([]);
  });
});

describe("every file", () => {
  it(`has at most ${MAX_LINES} lines`, () => {
    const long = SOURCES.map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }));
    const limitOf = (path: string) => (path.startsWith("test/") ? MAX_TEST_LINES : MAX_LINES);
    expect(long.filter(({ path, lines }) => lines > limitOf(path))).toEqual([]);
    expect(SOURCES.length).toBeGreaterThan(100);
  });

  it("leaves nothing to be done later", () => {
    const wrong = SOURCES.filter(({ text }) => UNFINISHED.test(text));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it("runs all of its tests, and no test waits by the clock for nothing", () => {
    const tests = SOURCES.filter(({ path }) => path.endsWith(".test.ts"));
    expect(tests.length).toBeGreaterThan(10);
    expect(linesWith(tests, SKIPPED)).toEqual([]);
  });
});

describe("these checks", () => {
  it("see through comments, and find what they look for", () => {
    const bad = source(
      "emulator/kernel/x.ts",
      '/* Date.now */ // Math.random\nconst a = Date.now();\nimport "../http/y.ts";\n',
    );
    expect(BANS.filter(({ pattern }) => pattern.test(bad.code)).map(({ instead }) => instead)).toEqual([
      "take `now` of the turn or of the world",
    ]);
    expect(importsOf(bad)).toEqual(["emulator/http/y.ts"]);
    expect(floorOf("contracts/spec/x.ts")).toBe("contracts/spec");
    expect(isWithin("emulator/kernel/x.ts", "emulator/kernel")).toBe(true);
    expect(isWithin("emulator/kernels/x.ts", "emulator/kernel")).toBe(false);
  });
});

function sourcesIn(folder: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|js)$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes("node_modules"))
    .map((path) => source(path, readFileSync(join(ROOT, path), "utf8")));
}

function source(path: string, text: string): Source {
  return { path, text, code: text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "") };
}

/** Paths from the root for our own files, names for packages. */
function importsOf({ path, code }: Source): string[] {
  return [...code.matchAll(/(?<!["'\w.])(?:from|import)\s*\(?\s*"([^"\n]+)"/g)].map(([, target = ""]) =>
    target.startsWith(".") ? posix.join(posix.dirname(path), target) : target,
  );
}

function floorOf(path: string): string | undefined {
  if (ADAPTERS.some((folder) => isWithin(path, folder))) return undefined;
  return Object.keys(FLOORS)
    .filter((folder) => isWithin(path, folder))
    .sort((a, b) => b.length - a.length)[0];
}

function within(folders: readonly string[]): Source[] {
  return SOURCES.filter(({ path }) => folders.some((folder) => isWithin(path, folder)));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function linesWith(sources: readonly Source[], pattern: RegExp): string[] {
  return sources.flatMap(({ path, code }) =>
    code
      .split("\n")
      .filter((line) => pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
}
