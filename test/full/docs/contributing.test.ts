import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT, readPage } from "../../docs/markdown.ts";
import { HEADERS } from "../../support/emulator.ts";

type Runtime = typeof import("../../../emulator/runtime/index.ts");
type ConfigurationSchema = typeof import("../../../emulator/config/schema.ts");
type ParquetSchema = typeof import("../../../emulator/storage/parquet/schema.ts");
type Commands = typeof import("../../../bin/commands.ts");
type Columns = typeof import("../../../contracts/spec/bulk-exports/columns.ts");

const ID = "11111111-1111-4111-8111-111111111111";
const OTHER_ID = "22222222-2222-4222-8222-222222222222";

const PAGE = "CONTRIBUTING.md";
const FOLDER_PAGES = ["bin", "contracts", "emulator", "scenarios", "test"].map((name) => `${name}/README.md`);
const MAX_BYTES = 19 * 1024;

/** The modules of the project that are tested with the examples applied, bundled together. */
const MODULES = [
  "emulator/runtime/index.ts",
  "emulator/config/schema.ts",
  "emulator/storage/parquet/schema.ts",
  "bin/commands.ts",
  "contracts/spec/bulk-exports/columns.ts",
] satisfies string[];
const BUNDLE = {
  bundle: true,
  splitting: true,
  outbase: ".",
  packages: "external",
  platform: "node",
  format: "esm",
} as const;

/** A copy that is as old as its source: of compiled files, only those of changed sources are compiled again. */
const UNCHANGED = { recursive: true, preserveTimestamps: true };

/** A file or a folder in backticks, the file perhaps with the name of something in it. */
const PATH =
  /`((?:[\w.-]+\/)*(?:[\w.-]+\/|[\w.-]+\.(?:ts|mjs|md|json|yaml|py)|[\w-]+(?<=\/[\w-]+)))(?::(\w+))?`/g;
/** Written by `npm run docs`. */
const PAGES_FOLDER = "docs/look-up";
const FENCED = /^```(\w+) ?(\S*).*\n([\s\S]*?)^```$/gm;

interface Mention {
  readonly path: string;
  readonly name: string | undefined;
  /** Folders that it may be meant in. */
  readonly bases: readonly string[];
}

/** What a page names; a path counts from the root, from the page, or from a folder named in the same section. */
function mentionsOn(page: string): readonly Mention[] {
  const folder = page.includes("/") ? page.slice(0, page.indexOf("/") + 1) : "";
  const sections = readPage(page).replace(FENCED, "").split(/^## /m);
  return sections.flatMap((section) => {
    const results = [...section.matchAll(PATH)].map(([, path = "", name]) => ({ path, name }));
    const bases = ["", folder, ...results.map(({ path }) => path).filter((path) => path.endsWith("/"))];
    return results.map((mention) => ({ ...mention, bases }));
  });
}

function isThere({ path, name, bases }: Mention): boolean {
  const results = bases.map((base) => join(ROOT, base, path)).filter((file) => existsSync(file));
  return results.some(
    (file) => name === undefined || new RegExp(`\\b${name}\\b`).test(readFileSync(file, "utf8")),
  );
}

/** A block of the page that changes a file, or is a new one. */
interface Edit {
  readonly kind: string;
  readonly path: string;
  readonly text: string;
}

const editsOn = (page: string) => editsIn(readPage(page));

function editsIn(text: string): readonly Edit[] {
  return [...text.matchAll(FENCED)]
    .map(([, kind = "", path = "", text = ""]) => ({ kind, path, text }))
    .filter(({ path }) => path.includes("/"));
}

/** Applies an edit as a reader would: what it takes for granted must be there, once. */
function apply({ kind, path, text }: Edit, root: string): void {
  if (kind !== "diff") return writeFileSync(join(root, path), text);
  const lines = text.trimEnd().split("\n");
  const side = (sign: string) =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join("");
  const parts = readFileSync(join(root, path), "utf8").split(side("+"));
  if (parts.length !== 2)
    throw new Error(
      `A block of ${PAGE} no longer applies to ${path}. Update its lines, which are found ${parts.length - 1} times instead of once:\n${text}`,
    );
  writeFileSync(join(root, path), parts.join(side("-")));
}

/** A worked example of the page: a section whose heading counts what it changes. */
function examples() {
  const sections = readPage(PAGE).split(/^### /m).slice(1);
  return sections.flatMap((text) => {
    const [heading, title = ""] = /^(An? .*): \d+ files?.*$/m.exec(text) ?? [];
    const [, pages = 0] = /, (\d+) pages?$/.exec(heading ?? "") ?? [];
    return heading === undefined
      ? []
      : [{ heading, title, pages: Number(pages), text, edits: editsIn(text) }];
  });
}

const counted = (count: number, noun: string) =>
  count === 0 ? "" : `${count} ${noun}${count === 1 ? "" : "s"}`;

async function bodyOf(reply: Response): Promise<Readonly<Record<string, unknown>>> {
  return (await reply.json()) as Readonly<Record<string, unknown>>;
}

describe("the maps of the project", () => {
  it.each([PAGE, ...FOLDER_PAGES])("%s names only files, folders and functions that exist", (page) => {
    const mentions = mentionsOn(page);
    const missing = mentions.filter((mention) => !isThere(mention));
    expect(missing.map(({ path, name }) => (name ? `${path}:${name}` : path))).toEqual([]);
    expect(mentions.length).toBeGreaterThan(4);
  });

  it("CONTRIBUTING.md gives the floors of test/structure.test.ts", () => {
    const [, table = ""] =
      /const FLOORS[^=]*= (\[[\s\S]*?\n\]);/.exec(readPage("test/structure.test.ts")) ?? [];
    const floors = JSON.parse(table.replace(/,(\s*\])/g, "$1")) as readonly (readonly string[])[];
    const rows = [...readPage(PAGE).matchAll(/^\| (\d+) \| `([^`]+)`/gm)];
    const samples = rows.map(([, floor, folder]) => `${floor} ${folder}`);
    expect(samples.sort()).toEqual(
      floors.flatMap((folders, index) => folders.map((folder) => `${index + 1} ${folder}`)).sort(),
    );
  });

  it("CONTRIBUTING.md stays short enough to be read", () => {
    expect(Buffer.byteLength(readPage(PAGE))).toBeLessThanOrEqual(MAX_BYTES);
  });
});

describe("the examples of CONTRIBUTING.md", () => {
  const root = mkdtempSync(join(tmpdir(), "contributing-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  beforeAll(async () => {
    for (const name of ["bin", "contracts", "emulator", "scenarios", "fixtures", "package.json"])
      cpSync(join(ROOT, name), join(root, name), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
    const edits = editsOn(PAGE).filter(({ path }) => !path.startsWith("test/"));
    for (const edit of edits) apply(edit, root);
    await build({ ...BUNDLE, absWorkingDir: root, entryPoints: MODULES, outdir: join(root, "dist") });
  });

  /** A module of the copy, with the examples in it. */
  const load = <Module>(path: (typeof MODULES)[number]): Promise<Module> =>
    import(pathToFileURL(join(root, "dist", path.replace(/ts$/, "js"))).href);

  it("change as many files and tests as their headings say", () => {
    const headings = examples().map(({ heading }) => heading);
    const counts = examples().map(({ title, pages, edits }) => {
      const paths = [...new Set(edits.map(({ path }) => path))];
      const tests = paths.filter((path) => path.startsWith("test/")).length;
      const parts = [counted(paths.length - tests, "file"), counted(tests, "test"), counted(pages, "page")];
      return `${title}: ${parts.filter(Boolean).join(", ")}`;
    });
    expect(counts).toEqual(headings);
    expect(counts).toHaveLength(6);
  });

  it("make a limit a setting, a part of the configuration in effect and of OpenAPI", async () => {
    const { startEmulator } = await load<Runtime>("emulator/runtime/index.ts");
    const { configurationSchema } = await load<ConfigurationSchema>("emulator/config/schema.ts");
    expect(JSON.stringify(configurationSchema())).toContain('"projects_per_workspace":{"description"');
    const emulator = await startEmulator({ limits: { projects_per_workspace: 7 } } as object);
    try {
      const configuration = await emulator.request("/_emulator/v1/config");
      expect(await configuration.json()).toMatchObject({
        settings: { limits: { projects_per_workspace: 7 } },
      });
      expect(await (await emulator.request("/openapi.json")).text()).toContain("projects_per_workspace");
    } finally {
      await emulator.close();
    }
  });

  it("make a column a field of rows and of their view, a name in export_fields and a part of the Parquet schema", async () => {
    const { startEmulator } = await load<Runtime>("emulator/runtime/index.ts");
    const { schemaOf } = await load<ParquetSchema>("emulator/storage/parquet/schema.ts");
    const { COLUMN_NAMES } = await load<Columns>("contracts/spec/bulk-exports/columns.ts");
    expect(schemaOf(COLUMN_NAMES, "v1").at(-1)).toMatchObject({
      name: "environment",
      converted_type: "UTF8",
    });
    const emulator = await startEmulator();
    const post = (path: string, body: unknown) =>
      emulator.request(path, { method: "POST", body: JSON.stringify(body), headers: HEADERS });
    try {
      const run = { id: ID, name: "step", run_type: "chain", session_name: "shop", environment: "staging" };
      const rows = await post("/runs", run);
      expect([rows.status, rows.headers.get("warning")]).toEqual([202, null]);
      const read = await emulator.request(`/runs/${ID}`, { headers: HEADERS });
      const { session_id, environment } = await bodyOf(read);
      expect(environment).toBe("staging");
      const refusal = await post("/runs", { ...run, id: OTHER_ID, environment: 7 });
      expect(await bodyOf(refusal)).toMatchObject({ detail: expect.stringContaining("environment") });
      const ordered = async (...export_fields: string[]) => {
        const times = { start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-02T00:00:00Z" };
        const order = { bulk_export_destination_id: ID, session_id, ...times, export_fields };
        return (await post("/api/v1/bulk-exports", order)).status;
      };
      // The destination does not exist, which is looked at last.
      expect(await Promise.all([ordered("environment"), ordered("environments")])).toEqual([404, 422]);
    } finally {
      await emulator.close();
    }
  });

  it("make an endpoint answer, a fault armed, a rate-limit row a setting and a command known", async () => {
    const { startEmulator } = await load<Runtime>("emulator/runtime/index.ts");
    const { COMMANDS } = await load<Commands>("bin/commands.ts");
    expect(Object.keys(COMMANDS)).toContain("seed");
    const emulator = await startEmulator();
    const bodyAt = async (path: string) => (await emulator.request(path, { headers: HEADERS })).json();
    try {
      expect(await bodyAt("/api/v1/bulk-exports/ids")).toEqual([]);
      const body = JSON.stringify({ target: "s3", match: { op: "PutObject" }, then: { deny_put: true } });
      const armed = await emulator.request("/_emulator/v1/faults", {
        method: "POST",
        body,
        headers: HEADERS,
      });
      expect(await armed.json()).toMatchObject({ state: "armed", then: { deny_put: true } });
      const queues = { us: { count: 500, seconds: 60 }, eu: { count: 500, seconds: 60 } };
      expect(await bodyAt("/_emulator/v1/config")).toMatchObject({
        settings: { rateLimits: { rows: { queues } } },
      });
    } finally {
      await emulator.close();
    }
  });
});

describe("the examples of CONTRIBUTING.md in a copy of the whole project", () => {
  const cwd = mkdtempSync(join(tmpdir(), "contributing-"));
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));
  const run = (command: string) =>
    promisify(execFile)("sh", ["-c", `(${command}) 1>&2`], { cwd, maxBuffer: 2 ** 26 });

  beforeAll(async () => {
    for (const name of readdirSync(ROOT).filter((name) => !["node_modules", ".git", "dist"].includes(name)))
      cpSync(join(ROOT, name), join(cwd, name), UNCHANGED);
    symlinkSync(join(ROOT, "node_modules"), join(cwd, "node_modules"));
    // knip ignores what git ignores.
    await run("git init --quiet");
    for (const edit of editsOn(PAGE)) apply(edit, cwd);
  });

  it("pass npm run check", () => run("npm run check"));

  it("pass the tests that they name, and change as many generated pages as their headings say", async () => {
    const tests = examples().flatMap(({ text }) => text.match(/(?<=`)test\/[^`]+/g) ?? []);
    expect(new Set(tests).size).toBeGreaterThan(3);
    await run(`npm run docs -- ${tests.join(" ")}`);
    const isChanged = (page: string) => readPage(page) !== readFileSync(join(cwd, page), "utf8");
    const pages = readdirSync(join(ROOT, PAGES_FOLDER)).map((name) => join(PAGES_FOLDER, name));
    const counts = examples().map((example) => example.pages);
    expect(pages.filter(isChanged)).toHaveLength(counts.reduce((sum, count) => sum + count));
  });
});
