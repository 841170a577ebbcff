import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const RESULTS = fileURLToPath(new URL("../results", import.meta.url));
const STAND_IN = fileURLToPath(new URL("../peers/no-checksums.mjs", import.meta.url));

/** The command line, and the threads that it starts by their paths. */
const BUILDS = [
  {
    stdin: {
      contents: 'import { runCommandLine } from "./bin/main.ts"; void runCommandLine();',
      sourcefile: "command-line.ts",
      resolveDir: ROOT,
    },
  },
  { entryPoints: ["emulator/storage/parquet/encoder-thread.ts", "emulator/storage/background-thread.ts"] },
];

const WITHOUT_CHECKSUMS = {
  name: "without-checksums",
  setup({ onLoad }) {
    onLoad({ filter: /storage[\\/]checksum\.ts$/ }, () => ({
      contents: readFileSync(STAND_IN, "utf8"),
      loader: "js",
    }));
  },
};

let built;

/** The command lines of two builds that differ in nothing else: one checks what it stores, one does not. */
export function twoBuilds() {
  built ??= buildBoth();
  return built;
}

async function buildBoth() {
  mkdirSync(RESULTS, { recursive: true });
  // Below the project, so that packages are found; threads are looked for below a folder `dist`.
  const folder = mkdtempSync(join(RESULTS, "builds-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return {
    checked: await bundled(join(folder, "checked/dist"), []),
    unchecked: await bundled(join(folder, "unchecked/dist"), [WITHOUT_CHECKSUMS]),
  };
}

async function bundled(outdir, plugins) {
  for (const entry of BUILDS)
    await build({
      ...entry,
      absWorkingDir: ROOT,
      outbase: ".",
      outdir,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      splitting: true,
      platform: "node",
      target: "node20.19",
      format: "esm",
      packages: "external",
      logLevel: "error",
      plugins,
    });
  return join(outdir, "stdin.mjs");
}
