// Bundles the sources into dist/. Processes that run from an older build keep the files they may still load.
import { createHash } from "node:crypto";
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build, transform } from "esbuild";
import { startFile, writeCommonJs } from "./commonjs.mjs";
import { thirdPartyNotices } from "./third-party-notices.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(ROOT, "dist");
const FRESH = join(ROOT, "dist", `.fresh-${process.pid}`);

/** Parts of those commands that most calls of them do without. */
const PARTS = [
  "bin/capsule/file.ts",
  "bin/console/browser.ts",
  "bin/console/keys.ts",
  "bin/detached.ts",
  "bin/exec/capsule.ts",
  "bin/exec/explore.ts",
];

const BUILD = await sourceHash();

/** The first files of what the commands need that start an emulator, and of what asks one that runs. */
const STARTING_BUNDLE = `starting-${BUILD}`;
const QUESTIONS_BUNDLE = `questions-${BUILD}`;

/** Node loads CommonJS in less time than modules, which have the extension .mjs. */
const START_FILE = {
  entryPoints: { "bin/cli": "bin/emulator.ts" },
  format: "cjs",
  splitting: false,
  plugins: [separateFiles()],
  define: {
    "import.meta.dirname": "__dirname",
    STARTING_BUNDLE: JSON.stringify(`${STARTING_BUNDLE}.js`),
    QUESTIONS_BUNDLE: JSON.stringify(`${QUESTIONS_BUNDLE}.js`),
  },
};

/** Files that are run or imported by their own path. They share their chunks. */
const MODULES = {
  entryPoints: [
    "bin/main.ts",
    ...(await commandFiles()),
    ...PARTS,
    "bin/replay/thread.ts",
    "contracts/index.ts",
    ...["bun", "fixtures/jest-fixtures", "jest", "msw", "node-test", "testcontainers", "vitest"].map(
      (name) => `emulator/entries/${name}.ts`,
    ),
    "emulator/runtime/index.ts",
    "emulator/storage/background-thread.ts",
    "emulator/storage/parquet/encoder-thread.ts",
  ],
  outExtension: { ".js": ".mjs" },
};

/** Packages that are bundled, since every start needs them. The others are loaded on first use. */
const BUNDLED = new Set(["ipaddr.js", "lowdb"]);

/** How long files of an older build are kept: a process started from it may still load them. */
const OLD_FILE_GRACE_MS = 15 * 60_000;
/** Files in dist that builds at the same time or types.mjs write and remove. */
const WRITTEN_BY_OTHERS = /^(\.fresh-|types\/)/;

const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
const { dependencies, peerDependencies } = manifest;
const external = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !BUNDLED.has(name));
/** Modules that test runners provide. */
external.push("@jest/globals", "bun:test");

const common = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  logLevel: "warning",
};

await rm(FRESH, { recursive: true, force: true });
try {
  const bundles = await Promise.all([
    bundle(START_FILE),
    bundle(MODULES),
    bundleFunctions(STARTING_BUNDLE, "bin/starting.ts"),
    bundleFunctions(QUESTIONS_BUNDLE, "bin/questions.ts"),
    bundleConsole(),
  ]);
  const inputs = Object.assign({}, ...bundles.map(({ metafile }) => metafile.inputs));
  await Promise.all([writeSchema(), writeNotices(inputs), copyPythonModule()]);
  await writeText("bin/package.json", '{ "type": "commonjs" }\n');
  await writeText("bin/emulator.js", startFile(manifest.engines.node.replace(">=", ""), "./cli.js"));
  await chmod(join(FRESH, "bin/emulator.js"), 0o755);
  await writeCommonJs(FRESH, manifest.exports);
  await publish();
} catch (error) {
  // The bundler has printed its own errors already.
  if (!Array.isArray(error.errors)) console.error(`build: ${error.message}`);
  process.exitCode = 1;
} finally {
  await rm(FRESH, { recursive: true, force: true });
}

function bundle(own) {
  return build({
    ...common,
    outbase: ".",
    outdir: FRESH,
    splitting: true,
    // Less white space compiles sooner; names are kept so that stack traces are readable.
    minifyWhitespace: true,
    minifySyntax: true,
    chunkNames: "chunks/[name]-[hash]",
    external: external.flatMap((name) => [name, `${name}/*`]),
    // File names are unique to each build, even where two builds have equal content.
    banner: { js: `/*${BUILD}*/` },
    metafile: true,
    ...own,
  });
}

/**
 * Files that export one function each, for `bin/bundle-loader.ts`. The function takes a parameter for `import()`: on Node 20 code
 * from a cache cannot import.
 */
async function bundleFunctions(name, entry) {
  const { outputFiles, metafile } = await bundle({
    entryPoints: { [`bin/${name}`]: entry },
    chunkNames: "bin/[name]-[hash]",
    plugins: [separateFiles()],
    define: { "import.meta.url": "bundleUrl" },
    write: false,
  });
  await Promise.all(outputFiles.map((file) => writeFunction(file, metafile)));
  return { metafile };
}

async function writeFunction({ path, text }, { outputs }) {
  // Reads each import once: esbuild would look an export up at every use.
  const source = text.replaceAll(
    /\bimport\{([^}]*)\}from("\.\/[^"]+")/g,
    (_, names, file) => `const{${names.replaceAll(" as ", ":")}}=require(${file})`,
  );
  const { code } = await transform(source, {
    ...{ format: "cjs", target: common.target, minifyWhitespace: true },
    banner: "module.exports=(function(module,require,importExternal,bundleUrl){",
    footer: "})",
  });
  const later = outputs[relative(ROOT, path)].imports.filter(({ kind }) => kind === "dynamic-import");
  const names = later.map(({ path: file, external }) => (external ? file : `./${basename(file)}`));
  const done = names.reduce(
    (all, name) => all.replaceAll(`import("${name}")`, `importExternal("${name}")`),
    code,
  );
  await writeText(relative(FRESH, path), done);
}

/** The console is browser code: one script and one style sheet, and the files that are served as they are. */
async function bundleConsole() {
  const folder = join(ROOT, "emulator/console");
  const outdir = join(FRESH, "console");
  await mkdir(outdir, { recursive: true });
  for (const file of ["index.html", "icon.svg"]) await copyFile(join(folder, file), join(outdir, file));
  const options = {
    ...common,
    platform: "browser",
    target: "es2022",
    minify: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    outdir,
  };
  // Reports of one file have their script inlined, which modules cannot be.
  await build({
    ...options,
    format: "iife",
    entryPoints: { report: join(folder, "report-page.tsx") },
  });
  const result = await build({
    ...options,
    entryPoints: { console: join(folder, "main.tsx"), style: join(folder, "styles/main.css") },
    metafile: true,
  });
  // The package is limited, and Brotli needs least. Reports of one file and other clients get what it contains.
  for (const name of ["console.js", "style.css", "report.js"]) {
    const file = join(outdir, name);
    await writeFile(`${file}.br`, brotliCompressSync(await readFile(file)));
    await rm(file);
  }
  return result;
}

/** A digest of every input of the build. */
async function sourceHash() {
  const hash = createHash("sha256");
  for (const folder of ["bin", "build", "contracts", "emulator", "scenarios"])
    for (const file of (await filesIn(join(ROOT, folder))).sort())
      hash.update(file).update(await readFile(join(ROOT, folder, file)));
  hash.update(await readFile(join(ROOT, "package.json")));
  return hash.digest("hex").slice(0, 8);
}

async function commandFiles() {
  return (await readdir(join(ROOT, "bin/commands"))).map((name) => `bin/commands/${name}`);
}

/** Keeps other commands, parts and the table of commands itself out of CommonJS; the path is valid from `bin`. */
function separateFiles() {
  return {
    name: "separate-files",
    setup({ onResolve }) {
      onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, kind }) => {
        if (kind !== "dynamic-import") return undefined;
        const file = relative(ROOT, join(resolveDir, path));
        return file.startsWith("bin/")
          ? { path: `../${file.replace(/\.ts$/, ".mjs")}`, external: true }
          : undefined;
      });
    },
  };
}

async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** In a folder of its own, which users put on the path of their Python. */
async function copyPythonModule() {
  const name = "trace_platform_emulator.py";
  await mkdir(join(FRESH, "python"), { recursive: true });
  await copyFile(join(ROOT, "emulator/entries", name), join(FRESH, "python", name));
}

async function writeSchema() {
  const entry = "emulator/config/schema.ts";
  const { outputFiles } = await build({ ...common, entryPoints: [entry], write: false });
  const source = Buffer.from(outputFiles[0].contents).toString("base64");
  const { configurationSchema } = await import(`data:text/javascript;base64,${source}`);
  await writeText("emulator.config.schema.json", `${JSON.stringify(configurationSchema(), null, 2)}\n`);
}

/** Chunks first, entries last: a process started meanwhile loads either the old build or the new one. */
async function publish() {
  // Their names are of this build alone.
  const isChunk = (file) => /-[0-9A-Za-z]{8}\.m?js$/.test(file);
  const files = (await filesIn(FRESH)).sort((a, b) => Number(isChunk(b)) - Number(isChunk(a)));
  for (const file of files) {
    await mkdir(dirname(join(DIST, file)), { recursive: true });
    await rename(join(FRESH, file), join(DIST, file));
  }
  await removeOld(new Set(files));
}

async function removeOld(current) {
  const isPacking = ["pack", "publish"].includes(process.env.npm_command ?? "");
  for (const entry of await readdir(DIST, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const file = relative(DIST, path);
    if (!entry.isFile() || current.has(file) || WRITTEN_BY_OTHERS.test(file)) continue;
    const changed = await stat(path).catch(() => undefined);
    const isOld = changed !== undefined && Date.now() - changed.mtimeMs > OLD_FILE_GRACE_MS;
    if (isOld || isPacking) await rm(path, { force: true });
  }
}

async function writeNotices(inputs) {
  await writeText("THIRD-PARTY-NOTICES", await thirdPartyNotices(ROOT, Object.keys(inputs)));
}

async function writeText(name, text) {
  await mkdir(dirname(join(FRESH, name)), { recursive: true });
  await writeFile(join(FRESH, name), text);
}
