import { fileURLToPath, pathToFileURL } from "node:url";

const BUILT = "/dist/";

/**
 * Where the built entry of a worker thread lies, seen from a module. Threads are always started from
 * `dist`: Node 20 runs no TypeScript, and a bundled chunk does not lie where its source does.
 */
export function threadUrl(entry: string, moduleUrl?: string): URL {
  return builtUrl(`${entry}.mjs`, moduleUrl);
}

/** Where a file of the build lies, by its path in `dist`. */
export function builtUrl(file: string, moduleUrl: string = import.meta.url): URL {
  if (moduleUrl.endsWith(".ts")) return new URL(`../../dist/${file}`, moduleUrl);
  const path = fileURLToPath(moduleUrl).replaceAll("\\", "/");
  return pathToFileURL(path.slice(0, path.lastIndexOf(BUILT)) + BUILT + file);
}
