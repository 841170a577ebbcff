import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import { type Mutation, mutated, ROOT } from "./mutation.ts";

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

/** Builds a copy of the product with this mutation, if any, and runs its `contract run`. */
export function runContract(cases: readonly string[], mutation?: Mutation): Promise<Outcome> {
  return withProduct(mutation, (cli) => ask(cli, cases));
}

/** Builds a copy of the product with this mutation, if any, and removes it after its use. */
export function withProduct<T>(mutation: Mutation | undefined, use: (cli: string) => Promise<T>): Promise<T> {
  const plugins = mutation ? [replace(mutation)] : [];
  return withBundles({ entries: [], plugins, banner: "" }, (dist) => use(join(dist, "bin/emulator.mjs")));
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
export async function withBundles<T>(bundling: Bundling, use: (dist: string) => Promise<T>): Promise<T> {
  // Below the project, so that packages are found; threads are looked for below a folder `dist`.
  const folder = mkdtempSync(join(ROOT, "dist", ".mutated-"));
  try {
    const outdir = join(folder, "dist");
    await build({
      absWorkingDir: ROOT,
      entryPoints: [...ENTRIES, ...bundling.entries],
      outbase: ".",
      outdir,
      bundle: true,
      // Entries share most modules, and a run loads a third of them.
      splitting: true,
      platform: "node",
      target: "node20.19",
      format: "esm",
      outExtension: { ".js": ".mjs" },
      packages: "external",
      logLevel: "error",
      plugins: [...bundling.plugins],
      banner: { js: bundling.banner },
    });
    return await use(outdir);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function replace(mutation: Mutation): Plugin {
  return {
    name: "mutation",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) =>
        relative(ROOT, path) === mutation.file ? { contents: mutated(mutation), loader: "ts" } : undefined,
      );
    },
  };
}

/** For what hangs, not for what is slow. */
const RUN_MS = 300_000;

function ask(cli: string, cases: readonly string[]): Promise<Outcome> {
  const words = [cli, "contract", "run", ...cases, "--report", "json"];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      words,
      { cwd: ROOT, timeout: RUN_MS, maxBuffer: 2 ** 28 },
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
