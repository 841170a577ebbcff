// Makes `import()` of a bundled CommonJS package export the same names as in Node, not only `default`.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const NAMESPACE = "lazy-old-module";

/** A bundler plugin that wraps a package in a module which exports its names explicitly. */
export const lazyOldModules = {
  name: NAMESPACE,
  setup(build) {
    build.onResolve({ filter: /^[^.]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== "dynamic-import" || pluginData === NAMESPACE) return undefined;
      const found = await build.resolve(path, { kind, resolveDir, pluginData: NAMESPACE });
      if (found.external || found.errors.length > 0 || !(await isOldFormat(found.path))) return undefined;
      return { path: found.path, namespace: NAMESPACE };
    });
    build.onLoad({ filter: /.*/, namespace: NAMESPACE }, async ({ path }) => ({
      contents: wrapping(path, Object.keys(await import(pathToFileURL(path).href))),
      resolveDir: dirname(path),
    }));
  },
};

function wrapping(path, names) {
  const exported = names.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== "default");
  return [
    `import whole from ${JSON.stringify(path)};`,
    "export default whole;",
    ...exported.map((name) => `const its_${name} = whole.${name};\nexport { its_${name} as ${name} };`),
  ].join("\n");
}

async function isOldFormat(path) {
  if (!path.endsWith(".js")) return path.endsWith(".cjs");
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = await readFile(join(folder, "package.json"), "utf8").catch(() => undefined);
    if (manifest !== undefined) return JSON.parse(manifest).type !== "module";
  }
  return true;
}
