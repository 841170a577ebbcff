import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { type BuildContext, type BuildOptions, build, context, type Plugin } from "esbuild";
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

/** Builds copies of the product, one after the other. A file that no mutation changes is parsed once. */
interface Builder {
  readonly folder: string;
  readonly bundler: BuildContext;
  mutation: Mutation | undefined;
}

const idleBuilders: Builder[] = [];

/** Builds a copy of the product with this mutation, if any, and removes it after its use. */
export async function withProduct<T>(
  mutation: Mutation | undefined,
  use: (cli: string) => Promise<T>,
): Promise<T> {
  const builder = idleBuilders.pop() ?? (await newBuilder());
  builder.mutation = mutation;
  try {
    await builder.bundler.rebuild();
    return await use(join(builder.folder, "dist/bin/emulator.mjs"));
  } finally {
    rmSync(builder.folder, { recursive: true, force: true });
    idleBuilders.push(builder);
  }
}

async function newBuilder(): Promise<Builder> {
  const folder = newFolder();
  const mutate: Plugin = {
    name: "mutation",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) =>
        builder.mutation && relative(ROOT, path) === builder.mutation.file
          ? { contents: mutated(builder.mutation), loader: "ts" }
          : undefined,
      );
    },
  };
  const bundler = await context({ ...optionsFor(folder), plugins: [mutate] });
  const builder: Builder = { folder, bundler, mutation: undefined };
  return builder;
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

/** Below the project, so that packages are found. */
function newFolder(): string {
  return mkdtempSync(join(ROOT, "dist", ".mutated-"));
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
