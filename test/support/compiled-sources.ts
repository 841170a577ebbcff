import { mkdirSync, readdirSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Not in node_modules, which a copy of the project may share with it. */
const COMPILED = join(ROOT, "dist/.test-sources");
const COMPILER = "test/support/compiled-sources.ts";
const FOLDERS = ["bin", "build", "contracts", "emulator", "fixtures", "scenarios", "test"];
const SOURCE = new RegExp(`^(?:${FOLDERS.join("|")})/.*(?<!\\.test|\\.config)\\.tsx?$`);

/** The compiled file of a source, whose path is relative to the project. */
const compiledFile = (source: string) => join(COMPILED, source.replace(/\.tsx?$/, ".mjs"));

/**
 * Compiles the sources that have changed, file by file, so that Node loads them itself: the product, and what tests share.
 * With Vite, each worker requests each module from the main process, and every use of an import is a call of a getter.
 */
export async function compileSources(): Promise<void> {
  const begin = new Date();
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .map((path) => `${folder}/${path}`)
      .filter((path) => SOURCE.test(path) && !path.includes("/node_modules/") && isStale(path)),
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
    const path = relative(dirname(file), join(ROOT, source));
    const code = (textOf.get(file) ?? "")
      .replaceAll(/(\bfrom |\bimport\(|^import )"(\.[^"\n]*)\.tsx?"/gm, '$1"$2.mjs"')
      .replaceAll("import.meta.url", `new URL("${path}", import.meta.url).href`);
    mkdirSync(dirname(file), { recursive: true });
    // Another run at the same time may read the file, so a complete one replaces it.
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, code);
    // A source that is saved meanwhile is newer.
    utimesSync(temporary, begin, begin);
    renameSync(temporary, file);
  }
}

/** Whether a source, or this compiler, has changed since the source was compiled. */
function isStale(source: string): boolean {
  const compiled = statSync(compiledFile(source), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return [source, COMPILER].some((path) => statSync(join(ROOT, path)).mtimeMs >= compiled);
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
