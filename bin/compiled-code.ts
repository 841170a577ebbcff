import { isAscii } from "node:buffer";
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";

/** A file of a bundle is one function, which puts what it exports into its first parameter. Files of it begin with `./`. */
type BundleFile = (
  module: { exports: object },
  require: (path: string) => unknown,
  importExternal: (path: string) => Promise<unknown>,
  url: string,
) => void;

/** What a bundle exports, and a way to keep its code as it is compiled by now for the next process. */
export interface Loaded<Exports> {
  readonly exports: Exports;
  keep(): void;
}

/** NODE_DISABLE_COMPILE_CACHE=1 turns it off, as it does for modules; code that is kept counts for no coverage. */
const IS_KEPT = !process.env.NODE_DISABLE_COMPILE_CACHE && !process.env.NODE_V8_COVERAGE;

/**
 * Runs a bundle from its first file, with the compiled code that earlier processes have kept in `folder`. V8 takes none of another
 * version or of other flags. What is no file of the bundle comes by `fromNode`: with node:module Node would load much else. The name of a file says what is in it: V8 compares only lengths.
 */
export function loadCompiled<Exports extends object>(
  file: string,
  folder: string,
  fromNode: NodeJS.Require,
): Loaded<Exports> {
  const folderUrl = pathToFileURL(dirname(file)).href;
  const modules = new Map<string, { exports: object }>();
  const keepers: (() => void)[] = [];
  const isOwn = (path: string) => path.startsWith("./");

  function load(name: string): object {
    const known = modules.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const path = join(dirname(file), name);
    const { run, keep } = compile(path, folder);
    keepers.push(keep);
    run(
      module,
      (other) => (isOwn(other) ? load(other) : fromNode(other)),
      async (other) => (isOwn(other) ? load(other) : import(other)),
      `${folderUrl}/${basename(path)}`,
    );
    return module.exports;
  }

  return {
    exports: load(`./${basename(file)}`) as Exports,
    keep() {
      if (IS_KEPT) for (const keep of keepers) keep();
    },
  };
}

function compile(file: string, folder: string): { readonly run: BundleFile; keep(): void } {
  const kept = join(folder, `${basename(file)}-${process.version}-${process.arch}`);
  const bytes = readFileSync(file);
  const cachedData = IS_KEPT ? contentOf(kept) : undefined;
  // One byte a character takes half the memory, and half the time to read.
  const script = new Script(bytes.toString(isAscii(bytes) ? "latin1" : "utf8"), {
    filename: file,
    ...(cachedData && { cachedData }),
  });
  return {
    run: script.runInThisContext() as BundleFile,
    keep() {
      if (script.cachedDataRejected !== false) keep(script, folder, kept);
    },
  };
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Whole or not at all: other processes, of any user, may read it. In a folder that is not writable nothing is kept. */
function keep(script: Script, folder: string, file: string): void {
  const unfinished = `${file}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true });
    const descriptor = openSync(unfinished, "wx", 0o644);
    writeFileSync(descriptor, script.createCachedData());
    closeSync(descriptor);
    renameSync(unfinished, file);
  } catch {
    // The next start compiles again.
  }
}
