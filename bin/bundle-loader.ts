import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** A file of a bundle exports a function that runs it. Paths of files of the same bundle begin with `./`. */
type BundleFile = (
  module: { exports: object },
  require: (path: string) => unknown,
  importExternal: (path: string) => Promise<unknown>,
  url: string,
) => void;

/** Runs a bundle from its first file. `load` loads one of its files, `fromNode` everything else. */
export function runBundle<Exports extends object>(
  file: string,
  load: (file: string) => unknown,
  fromNode: NodeJS.Require,
): Exports {
  const folderUrl = pathToFileURL(dirname(file)).href;
  const modules = new Map<string, { exports: object }>();
  const isOwn = (path: string) => path.startsWith("./");

  function runFile(name: string): object {
    const existing = modules.get(name);
    if (existing) return existing.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const run = load(join(dirname(file), name)) as BundleFile;
    run(
      module,
      (path) => (isOwn(path) ? runFile(path) : fromNode(path)),
      async (path) => (isOwn(path) ? runFile(path) : import(path)),
      `${folderUrl}/${basename(name)}`,
    );
    return module.exports;
  }

  return runFile(`./${basename(file)}`) as Exports;
}
