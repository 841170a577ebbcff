import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";

/**
 * Merges files that are always loaded together: code splitting makes a file for every set of
 * lazily loaded parts with shared code, and each file to open slows the start. Other importers
 * keep using the old file names, which re-export from the merged file.
 *
 * @param folder where the outputs lie
 * @param outputs of the bundler's metafile, by their paths in the folder
 * @param merges `{ name, roots }`: a file of that name for what an import of the roots loads at once, without
 *   what is in the files before it
 */
export async function mergeChunks(folder, outputs, merges) {
  const places = new Map();
  for (const { name, roots } of merges) {
    const files = [...reachable(outputs, roots)].filter((file) => !places.has(file));
    const known = new Map([...places].map(([file, exports]) => [join(folder, file), exports]));
    const own = files.map((file, index) => [file, exportsOf(outputs[file], name, index)]);
    await writeMerged(folder, name, own, known);
    for (const [file, exports] of own) places.set(file, exports);
  }
  for (const [file, { name, pairs }] of places) {
    if (file === name) continue;
    const names = pairs.map(([exported, alias]) => `${alias} as ${exported}`).join(",");
    await writeFile(join(folder, file), `export{${names}}from${pathTo(folder, file, name)};\n`);
  }
}

function exportsOf({ exports }, name, index) {
  return { name, pairs: exports.map((exported) => [exported, `m${index}_${exported}`]) };
}

function pathTo(folder, from, to) {
  const path = relative(dirname(join(folder, from)), join(folder, to));
  return JSON.stringify(path.startsWith(".") ? path : `./${path}`);
}

async function writeMerged(folder, name, own, known) {
  const lines = own.map(([file, { pairs }]) => {
    const names = pairs.map(([exported, alias]) => `${exported} as ${alias}`).join(",");
    return `export {${names}} from ${JSON.stringify(join(folder, file))};`;
  });
  await build({
    stdin: { contents: lines.join("\n"), resolveDir: folder },
    outfile: join(folder, name),
    allowOverwrite: true,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: "warning",
    banner: { js: await hashbangOf(join(folder, name)) },
    plugins: [onlyThese(folder, name, new Set(own.map(([file]) => join(folder, file))), known)],
  });
}

/** The hashbang line of an existing file; empty when it has none. */
async function hashbangOf(file) {
  const text = await readFile(file, "utf8").catch(() => "");
  return /^#!.*/.exec(text)?.[0] ?? "";
}

/** The files that an import of these loads at once. */
function reachable(outputs, roots) {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    for (const { path, kind, external } of outputs[file].imports)
      if (kind === "import-statement" && !external) visit(path);
  };
  for (const root of roots) visit(root);
  return found;
}

/** Inlines these files, re-exports what an earlier merged file contains, and leaves other imports alone. */
function onlyThese(folder, target, own, known) {
  return {
    name: "only-these",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, kind, resolveDir }) => {
        const file = resolve(resolveDir, path);
        if (kind === "dynamic-import") return { path, external: true };
        if (known.has(file) && !own.has(file)) return { path: file, namespace: "merged" };
        return own.has(file) ? { path: file } : { path, external: true };
      });
      onLoad({ filter: /.*/, namespace: "merged" }, ({ path }) => {
        const { name, pairs } = known.get(path);
        const names = pairs.map(([exported, alias]) => `${alias} as ${exported}`).join(",");
        return { contents: `export {${names}} from ${pathTo(folder, target, name)};` };
      });
    },
  };
}
