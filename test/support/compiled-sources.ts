import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Not in node_modules, which a copy of the project may share with it. */
const COMPILED = join(ROOT, "dist/.test-sources");
const FOLDERS = ["bin", "build", "contracts", "emulator", "fixtures", "scenarios"];
const SOURCE = new RegExp(`^(?:${FOLDERS.join("|")})/.*\\.tsx?$`);

/** The compiled file of a source, whose path is relative to the project. */
const compiledFile = (source: string) => join(COMPILED, source.replace(/\.tsx?$/, ".mjs"));

/**
 * Compiles the sources of the product file by file, once per run, so that Node loads them itself. With Vite, each worker
 * requests each module from the main process, and every use of an import is a call of a getter.
 */
export async function compileSources(): Promise<void> {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .map((path) => `${folder}/${path}`)
      .filter((path) => SOURCE.test(path) && !path.includes("/node_modules/")),
  );
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: sources,
    outbase: ROOT,
    outdir: COMPILED,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    target: "node20.19",
    sourcemap: "inline",
    sourcesContent: false,
    write: false,
  });
  const textOf = new Map(outputFiles.map(({ path, text }) => [path, text]));
  for (const source of sources) {
    const file = compiledFile(source);
    const url = pathToFileURL(join(ROOT, source)).href;
    const code = (textOf.get(file) ?? "")
      .replaceAll(/(\bfrom |\bimport\(|^import )"(\.[^"\n]*)\.tsx?"/gm, '$1"$2.mjs"')
      .replaceAll("import.meta.url", JSON.stringify(url));
    writeChanged(file, code);
  }
}

/** Another run at the same time may read the file, so a complete one replaces it. */
function writeChanged(file: string, code: string): void {
  mkdirSync(dirname(file), { recursive: true });
  try {
    if (readFileSync(file, "utf8") === code) return;
  } catch {
    // The file is new.
  }
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, code);
  renameSync(temporary, file);
}

/** A plugin that has imports of the product load what `compileSources` wrote. */
export const COMPILED_SOURCES = {
  name: "compiled-sources",
  enforce: "pre" as const,
  resolveId(path: string, importer: string | undefined): string | undefined {
    if (importer === undefined || !path.startsWith(".")) return undefined;
    const source = relative(ROOT, resolve(dirname(importer), path));
    return SOURCE.test(source) ? compiledFile(source) : undefined;
  },
};
