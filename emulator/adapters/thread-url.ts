import { sep } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Where the built entry of a worker thread lies. Threads are always started from `dist`: Node 20 runs
 * no TypeScript, and a bundled chunk does not lie where its source does.
 */
export function threadUrl(entry: string): URL {
  return new URL(`${entry}.js`, distUrl());
}

function distUrl(): URL {
  const here = import.meta.filename;
  if (here.endsWith(".ts")) return new URL("../../dist/", import.meta.url);
  return pathToFileURL(here.slice(0, here.lastIndexOf(`${sep}dist${sep}`)) + `${sep}dist${sep}`);
}
