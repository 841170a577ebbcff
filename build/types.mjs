// Writes the declarations of the package into dist/types: one file per entry point for `require`, which the one for
// `import` repeats.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

/** Sentences of the tables, whose literal types say nothing to a compiler. */
const PROSE = /(\b(?:reason|summary|description|text|title|help|wrongBehaviour):) "(?:[^"\\]|\\.)*"/g;

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { name, exports } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));

const declarations = await mkdtemp(join(tmpdir(), "declarations-"));
/** Other entries import it by the name of the package, so that users meet each of its types once. */
const MAIN = declarationOf(exports["."]);

try {
  await rm(join(ROOT, "dist/types"), { recursive: true, force: true });
  await emitDeclarations();
  for (const entry of Object.values(exports).filter((target) => typeof target === "object"))
    await rollUp(declarationOf(entry), entry);
} finally {
  await rm(declarations, { recursive: true, force: true });
}

function declarationOf({ import: { default: file } }) {
  return join(declarations, file.replace("./dist/", "").replace(/\.mjs$/, ".d.ts"));
}

/** Type errors do not stop it: `npm run check` reports those. */
async function emitDeclarations() {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = [
    "-p",
    "build/tsconfig.types.json",
    "--outDir",
    declarations,
    "--noCheck",
    "--singleThreaded",
  ];
  const child = spawn(process.execPath, [tsc, ...options], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`no declarations were written: tsc ended with ${code}`);
}

async function rollUp(input, entry) {
  const bundle = await rollup({
    input,
    plugins: [mainByName(input), dts()],
    external: (id) => !/^[./]/.test(id),
  });
  const [file, module] = [join(ROOT, entry.require.types), join(ROOT, entry.import.types)];
  await bundle.write({ file, format: "es" });
  await bundle.close();
  const text = (await readFile(file, "utf8")).replace(PROSE, "$1 string");
  await writeFile(file, text);
  // Other packages may have other declarations for `import`, so what imports them is copied.
  if (/^import /m.test(text)) await copyFile(file, module);
  else await writeFile(module, `export * from "./${basename(file, ".d.cts")}.cjs";\n`);
}

function mainByName(input) {
  return {
    name: "main-by-name",
    resolveId(id, importer) {
      const isMain = importer !== undefined && resolve(importer, "..", id.replace(/\.ts$/, ".d.ts")) === MAIN;
      return isMain && input !== MAIN ? { id: name, external: true } : null;
    },
  };
}
