import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { type Mutation, mutated, ROOT } from "./mutation.ts";
import { MUTATIONS } from "./mutations.ts";
import { SWEEP_MUTATIONS } from "./sweeps.ts";

/** What the harness reads of a JSON report. */
interface Report {
  readonly results: readonly {
    readonly id: string;
    readonly findings: readonly { readonly verdict: string; readonly blame: string; readonly text: string }[];
  }[];
}

/** What `contract run` says of a product. */
export interface Outcome {
  readonly code: number;
  /** Cases that found the server wrong, as `id: what should have been`. */
  readonly failed: readonly string[];
  /** Cases that found another choice than ours where the specification is silent, in the same form. */
  readonly differences: readonly string[];
  /** Its other output, when it wrote no report. */
  readonly stderr: string;
}

/** The command line, and the threads that it starts by their paths. */
const ENTRIES = [
  "bin/emulator.ts",
  "emulator/storage/parquet/encoder-thread.ts",
  "emulator/storage/background-thread.ts",
  "bin/replay/thread.ts",
];

const ALL = [...MUTATIONS, ...SWEEP_MUTATIONS];
const FILES = [...new Set(ALL.map(({ file }) => file))];

/** A process reads here which mutation acts in it, and so do its threads. */
const VARIABLE = "MUTATION";

/** The environment of a process of the copy in which this mutation acts, if any. */
export function environmentOf(mutation?: Mutation): NodeJS.ProcessEnv {
  return { ...process.env, [VARIABLE]: mutation && String(ALL.indexOf(mutation)) };
}

let copy: Promise<string> | undefined;

/** The command line of a copy of the product that contains every mutation: one build costs as much as a run of some cases. */
export function mutatedProduct(): Promise<string> {
  copy ??= buildAll();
  return copy;
}

async function buildAll(): Promise<string> {
  const folder = newFolder();
  const names = await exportsOf(FILES);
  const variants: Plugin = {
    name: "variants",
    setup({ onLoad }) {
      onLoad({ filter: new RegExp(`/(${FILES.join("|")})$`) }, ({ path, suffix }) => {
        const file = relative(ROOT, path);
        if (suffix === "") return { contents: choice(file, names.get(file) ?? []) };
        const mutation = ALL[Number(suffix.slice(1))];
        return mutation && { contents: mutated(mutation), loader: "ts" };
      });
    },
  };
  await build({ ...optionsFor(folder), plugins: [variants] });
  return join(folder, "dist/bin/emulator.mjs");
}

/** What the sources export, without the types. */
async function exportsOf(files: string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const options = {
    absWorkingDir: ROOT,
    entryPoints: files,
    outbase: ".",
    outdir: ".",
    write: false,
  } as const;
  const { outputs } = (await build({ ...options, format: "esm", metafile: true })).metafile;
  return new Map(Object.values(outputs).map(({ entryPoint = "", exports }) => [entryPoint, exports]));
}

/** In place of a file: a module that loads the file as it is, or as a mutation has it. Modules have no import cycles. */
function choice(file: string, names: readonly string[]): string {
  const load = (suffix: number | string) => `() => import("./${basename(file)}?${suffix}")`;
  const variants = ALL.flatMap((each, number) => (each.file === file ? `${number}: ${load(number)}` : []));
  return `const variants = { ${variants} };
    export const { ${names} } = await (variants[process.env.${VARIABLE}] ?? (${load("original")}))();`;
}

/** Runs `contract run` in a copy of the product with this mutation, if any. */
export async function runContract(cases: readonly string[], mutation?: Mutation): Promise<Outcome> {
  return ask(await mutatedProduct(), cases, environmentOf(mutation));
}

/** How a copy of the product differs from it. */
export interface Bundling {
  /** Entries next to those of the product. */
  readonly entries: readonly string[];
  readonly plugins: readonly Plugin[];
  /** Code before each bundle. */
  readonly banner: string;
}

/** Builds a copy of the product and removes it after its use. */
export async function withBundles<T>(
  { entries, plugins, banner }: Bundling,
  use: (dist: string) => Promise<T>,
): Promise<T> {
  const folder = newFolder();
  try {
    await build({
      ...optionsFor(folder),
      entryPoints: [...ENTRIES, ...entries],
      plugins: [...plugins],
      banner: { js: banner },
    });
    return await use(join(folder, "dist"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A folder in which a copy finds its packages and its version. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "mutated-"));
  for (const name of ["node_modules", "package.json"]) symlinkSync(join(ROOT, name), join(folder, name));
  return folder;
}

function optionsFor(folder: string): BuildOptions {
  return {
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outbase: ".",
    // Threads are looked for below a folder `dist`.
    outdir: join(folder, "dist"),
    bundle: true,
    // Entries share most modules, and a run loads a third of them.
    splitting: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    packages: "external",
    logLevel: "error",
  };
}

/** For what hangs, not for what is slow. */
const RUN_MS = 300_000;

function ask(cli: string, cases: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  const words = [cli, "contract", "run", ...cases, "--report", "json"];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      words,
      { cwd: ROOT, env, timeout: RUN_MS, maxBuffer: 2 ** 28 },
      (error, stdout, stderr) => {
        const code = error ? Number(error.code ?? 1) : 0;
        const failed = findingsIn(stdout, ["FAIL"]);
        const differences = findingsIn(stdout, ["NON-STRICT", "UNSPECIFIED"]);
        resolve({ code, failed, differences, stderr });
      },
    );
  });
}

function findingsIn(stdout: string, verdicts: readonly string[]): readonly string[] {
  if (!stdout.startsWith("{")) return [];
  return (JSON.parse(stdout) as Report).results.flatMap(({ id, findings }) =>
    findings
      .filter(({ verdict, blame }) => verdicts.includes(verdict) && blame !== "harness")
      .map(({ text }) => `${id}: ${text}`),
  );
}
