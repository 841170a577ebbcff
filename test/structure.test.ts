import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["bin", "bench", "build", "contracts", "emulator", "fixtures", "scenarios", "test"];
const MAX_LINES = 300;
/** Tables of cases are long without being hard to read. */
const MAX_TEST_LINES = 600;

/** The folders of the product, from the lowest floor up: a folder imports itself and what stands on lower floors. */
const FLOORS: readonly (readonly string[])[] = [
  ["contracts/spec"],
  ["contracts", "emulator/kernel"],
  ["emulator/subjects", "emulator/validation"],
  ["emulator/http", "emulator/config", "emulator/client"],
  ["emulator/storage", "emulator/control", "scenarios"],
  ["emulator/s3", "emulator/oracle"],
  ["emulator/runtime"],
  ["emulator/console", "emulator/entries", "fixtures"],
  ["bin"],
];

/** The same within contracts, where `contracts/spec` is below all of it. */
const CONTRACT_FLOORS: readonly (readonly string[])[] = [
  ["contracts/spec", "contracts/facts"],
  ["contracts/engine"],
  ["contracts/openapi", "contracts/report"],
  ["contracts/targets"],
  ["contracts/suites"],
  ["contracts/index.ts"],
];

/** Which subject may import which other ones, in addition to the types that all of them share. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  agent: ["traces", "webhooks"],
  "bulk-exports": ["destinations", "faults", "filters", "object-storage", "projects", "traces"],
  crons: ["agent"],
  destinations: ["bulk-exports", "faults", "object-storage"],
  faults: ["bulk-exports", "destinations", "object-storage", "webhooks"],
  feedback: ["traces"],
  filters: ["traces"],
  "object-storage": ["destinations"],
  projects: [],
  queries: ["filters", "projects", "traces"],
  "rate-limits": [],
  system: [],
  traces: ["feedback", "projects"],
  webhooks: ["agent", "faults"],
};

/** Packages that the folders without I/O may use. */
const PURE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "contracts/spec": [],
  "emulator/kernel": ["node:crypto"],
  "emulator/subjects": ["node:buffer", "node:crypto", "croner", "ipaddr.js"],
  "emulator/validation": ["ajv"],
  "emulator/http": ["protobufjs"],
  "emulator/control": [],
};

/** Folders that may not use clock, randomness, environment, files and network. */
const PURE = [
  "contracts",
  "emulator/kernel",
  "emulator/subjects",
  "emulator/validation",
  "emulator/http",
  "emulator/control",
];

/** What of them may: effects of a subject, the two servers, and what the harness reaches its targets by. */
const WITH_IO = [
  /^emulator\/subjects\/[a-z-]+\/effects(\/|\.ts$)/,
  // The calendar library, behind the port of the cron schedules.
  /^emulator\/subjects\/crons\/schedules\.ts$/,
  /^emulator\/http\/server\//,
  /^contracts\/targets\//,
];

const CALENDAR = "emulator/kernel/instant.ts";
/** The harness shares no code with the server that it checks, its calendar included. */
const CALENDARS = [CALENDAR, "contracts/engine/instant.ts"];

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
    instead: "put it into the effects of the subject, or behind a port that emulator/runtime fills",
  },
];

/** What the console imports from the emulator, except for types and tables: it runs in browsers. */
const CONSOLE_TAKES = [
  "contracts/engine/verdict.ts",
  "contracts/spec",
  "emulator/client",
  "emulator/control/turns/lanes.ts",
  "emulator/control/turns/pages.ts",
  "emulator/control/turns/turn-index.ts",
  "emulator/kernel/duration.ts",
  "emulator/kernel/instant.ts",
  "emulator/subjects/control-prefix.ts",
];

/** In two parts, so that the search does not find this file. */
const UNFINISHED = new RegExp(`\\b(${["TO", "FIX"].join("DO|")}ME)\\b`);
const SKIPPED = /\b(describe|it|test|suite)\.(skip|only|todo|fails)\b|\bx(it|describe)\(/;

interface Source {
  readonly path: string;
  readonly text: string;
  /** Without comments, which may name what is banned. */
  readonly code: string;
}

const SOURCES: readonly Source[] = FOLDERS.flatMap((folder) => sourcesIn(folder));

describe.each([
  { name: "the floors", floors: FLOORS },
  { name: "the floors of contracts", floors: CONTRACT_FLOORS },
])("$name", ({ floors }) => {
  it.each(floors.flat())("%s imports only itself and lower layers", (folder) => {
    const level = floors.findIndex((folders) => folders.includes(folder));
    const allowed = [folder, ...floors.slice(0, level).flat()];
    const sources = SOURCES.filter(({ path }) => folderOf(path, floors) === folder);
    const wrong = sources.flatMap((source) =>
      importsOf(source)
        .filter((target) => !allowed.includes(folderOf(target, floors) ?? folder))
        .map((target) => `${source.path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
    expect(sources.length).toBeGreaterThan(0);
  });
});

describe("the imports", () => {
  it("no file of the product is part of an import circle", () => {
    const circles = circlesOf(within(["bin", "contracts", "emulator", "scenarios"]));
    expect(circles).toEqual([]);
  });

  it("every file of contracts is in a layer of contracts", () => {
    const floors = CONTRACT_FLOORS;
    expect(within(["contracts"]).filter(({ path }) => folderOf(path, floors) === undefined)).toEqual([]);
  });

  it("every file of the product is in a layer", () => {
    const product = within(["bin", "contracts", "emulator", "scenarios", "fixtures"]);
    expect(product.filter(({ path }) => folderOf(path) === undefined)).toEqual([]);
  });

  it("every subject is in the table of subjects, and the table names no other", () => {
    const subjects = new Set(within(["emulator/subjects"]).flatMap(({ path }) => subjectOf(path) ?? []));
    expect([...subjects].sort()).toEqual(Object.keys(SUBJECTS).sort());
  });

  it.each(Object.keys(SUBJECTS))(
    "subject %s imports only the subjects that the table allows it",
    (subject) => {
      const paths = new Set(
        SOURCES.filter(({ path }) => subjectOf(path) === subject)
          .flatMap(importsOf)
          .flatMap((target) => subjectOf(target) ?? [])
          .filter((other) => other !== subject),
      );
      expect([...paths].sort()).toEqual([...(SUBJECTS[subject] ?? [])].sort());
    },
  );

  it.each(Object.keys(PURE_PACKAGES))("%s uses only the packages that it may", (folder) => {
    const imports = within([folder])
      .filter(({ path }) => isPure(path))
      .flatMap((source) => importsOf(source).map((target) => ({ path: source.path, target })))
      .filter(({ target }) => !/^(contracts|emulator|bin|scenarios|fixtures)\//.test(target))
      .filter(({ target }) => !(PURE_PACKAGES[folder] ?? []).some((name) => isWithin(target, name)));
    expect(imports).toEqual([]);
  });

  it("the harness imports nothing of the emulator", () => {
    const sources = within(["contracts"]);
    const wrong = sources.filter((source) =>
      importsOf(source).some((target) => isWithin(target, "emulator")),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
    expect(sources.length).toBeGreaterThan(0);
  });

  it("only the suites and the model take the facts, which are a second transcript and import nothing", () => {
    const takers = [...within(["bin", "contracts", "emulator", "fixtures", "scenarios"])].filter((source) =>
      importsOf(source).some((target) => isWithin(target, "contracts/facts")),
    );
    const others = takers
      .map(({ path }) => path)
      .filter((path) => !/^contracts\/(suites|model)\//.test(path));
    expect(others).toEqual([]);
    expect(takers.length).toBeGreaterThan(5);
    expect(within(["contracts/facts"]).flatMap(importsOf)).toEqual([]);
  });

  it("the suites import only types of the tables, and the operations to build requests", () => {
    const values = within(["contracts/suites"]).flatMap(({ path, code }) =>
      [...code.matchAll(/^import (?!type )([^;]*?) from "(\.\.\/spec\/[^"]+)"/gms)].map(
        ([, names = "", target = ""]) => `${path} ${names} ${target}`,
      ),
    );
    expect(values).toEqual(["contracts/suites/fuzz.ts { OPERATIONS } ../spec/operations.ts"]);
  });

  it("scenarios know the emulator only by its client, and check their files with its validator", () => {
    const imports = within(["scenarios"]).flatMap(importsOf);
    const ofEmulator = imports.filter((target) => isWithin(target, "emulator"));
    const allowed = ["emulator/client", "emulator/validation"];
    expect(ofEmulator.filter((target) => !allowed.some((folder) => isWithin(target, folder)))).toEqual([]);
    expect(ofEmulator.length).toBeGreaterThan(0);
  });

  it("only emulator/validation and the harness, which shares no code with it, compile schemas", () => {
    const product = within(["bin", "contracts", "emulator", "fixtures", "scenarios"]);
    const users = product.filter((source) => importsOf(source).some((target) => isWithin(target, "ajv")));
    // It loads the library early where descriptors are few, and uses nothing of it.
    const others = ["emulator/runtime/process/lazy-modules.ts", "contracts/targets/table-oracle.ts"];
    const compiling = users.filter(
      ({ path }) => !isWithin(path, "emulator/validation") && !others.includes(path),
    );
    expect(compiling).toEqual([]);
    expect(users.length).toBeGreaterThan(0);
  });

  it("the console imports only types and code that runs in browsers", () => {
    const sources = within(["emulator/console"]);
    const values = sources.flatMap((source) =>
      importsOf({ ...source, code: source.code.replace(/^import type [^;]*;/gm, "") }),
    );
    const allowed = ["emulator/console", "preact", "@preact/signals", ...CONSOLE_TAKES];
    expect(values.filter((target) => !allowed.some((name) => isWithin(target, name)))).toEqual([]);
    expect(values.length).toBeGreaterThan(20);
  });

  it("only the console works on a page", () => {
    const others = within(["bin", "contracts", "emulator", "scenarios"]).filter(
      ({ path }) => !isWithin(path, "emulator/console"),
    );
    expect(
      linesWith(
        others,
        /\b(localStorage|sessionStorage|navigator|(document|window)\.(body|title|location|open|addEventListener))\b/,
      ),
    ).toEqual([]);
  });

  it("only the modules of the terminal write to it, since they escape text", () => {
    const writing = /\b(process\.(stdout|stderr)\.write|console\.\w+\()/;
    const others = within(["bin", "contracts", "emulator", "scenarios"]).filter(
      ({ path }) => path !== "bin/terminal.ts" && path !== "bin/progress.ts",
    );
    expect(linesWith(others, writing)).toEqual([]);
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
  it.each(BANS)("$pattern stands only where I/O may be: $instead", ({ pattern, except = [] }) => {
    const sources = within(PURE).filter(({ path }) => isPure(path) && !except.includes(path));
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

  it("is without unfinished work", () => {
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
    expect(folderOf("contracts/spec/x.ts")).toBe("contracts/spec");
    const circle = [source("bin/a.ts", 'import "./b.ts";'), source("bin/b.ts", 'import "./a.ts";')];
    expect(circlesOf([...circle, source("bin/c.ts", 'import "./a.ts";')])).toEqual([
      ["bin/a.ts", "bin/b.ts"],
    ]);
    expect(subjectOf("emulator/subjects/webhooks/policy.ts")).toBe("webhooks");
    expect(isPure("emulator/subjects/webhooks/effects/sender.ts")).toBe(false);
    expect(isWithin("emulator/kernel/x.ts", "emulator/kernel")).toBe(true);
    expect(isWithin("emulator/kernels/x.ts", "emulator/kernel")).toBe(false);
  });
});

function sourcesIn(folder: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs|js)$/.test(entry.name))
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

/** The folder of a floor that a file belongs to: the longest match. */
function folderOf(path: string, floors = FLOORS): string | undefined {
  return floors
    .flat()
    .filter((folder) => isWithin(path, folder))
    .sort((a, b) => b.length - a.length)[0];
}

/** The subject whose folder contains the file. */
function subjectOf(path: string): string | undefined {
  return /^emulator\/subjects\/([a-z-]+)\//.exec(path)?.[1];
}

/** The groups of files of which each imports itself by way of the others. */
function circlesOf(sources: readonly Source[]): string[][] {
  const imports = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const reach = new Map(sources.map(({ path }) => [path, reachedFrom(path, imports)]));
  const isWithEachOther = (one: string, other: string) =>
    reach.get(one)?.has(other) && reach.get(other)?.has(one);
  const inCircles = sources.map(({ path }) => path).filter((path) => reach.get(path)?.has(path));
  const circles = inCircles.map((path) => inCircles.filter((other) => isWithEachOther(path, other)).sort());
  return [...new Map(circles.map((paths) => [paths.join(), paths])).values()];
}

function reachedFrom(path: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>();
  const next = [...(imports.get(path) ?? [])];
  for (let target = next.pop(); target !== undefined; target = next.pop()) {
    if (reached.has(target)) continue;
    reached.add(target);
    next.push(...(imports.get(target) ?? []));
  }
  return reached;
}

function isPure(path: string): boolean {
  return PURE.some((folder) => isWithin(path, folder)) && !WITH_IO.some((pattern) => pattern.test(path));
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
