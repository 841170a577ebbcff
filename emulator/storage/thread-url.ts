import { fileURLToPath, pathToFileURL } from "node:url";

const BUILT = "/dist/";

/**
 * The URL of the built entry of a worker thread, as seen from a module. Threads are always started from
 * `dist`: Node 20 cannot run TypeScript, and a bundled chunk is not in the folder of its source.
 */
export function threadUrl(entry: string, moduleUrl?: string): URL {
  return builtUrl(`${entry}.mjs`, moduleUrl);
}

/** The URL of a file of the build, by its path in `dist`. */
export function builtUrl(file: string, moduleUrl: string = import.meta.url): URL {
  if (moduleUrl.endsWith(".ts")) return new URL(`../../dist/${file}`, moduleUrl);
  const path = fileURLToPath(moduleUrl).replaceAll("\\", "/");
  return pathToFileURL(path.slice(0, path.lastIndexOf(BUILT)) + BUILT + file);
}
