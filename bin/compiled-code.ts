import { isAscii } from "node:buffer";
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Script } from "node:vm";

/** NODE_DISABLE_COMPILE_CACHE=1 turns it off, as it does in Node 22. Coverage does not work with cached code. */
const IS_ENABLED = !process.env.NODE_DISABLE_COMPILE_CACHE && !process.env.NODE_V8_COVERAGE;

/** Loads CommonJS files with the compiled code that earlier processes have saved. */
export interface CodeCache {
  load(file: string): unknown;
  /** Saves the compiled code of all files that are loaded by now. */
  save(): void;
}

/**
 * A compile cache for Node 20, which has none of its own. V8 rejects the code of another version or of other flags, but compares only
 * the length of the source: a file name must change with its content.
 */
export function codeCacheIn(folder: string): CodeCache {
  const saves: (() => void)[] = [];
  return {
    load(file) {
      const cacheFile = join(folder, `${basename(file)}-${process.version}-${process.arch}`);
      const bytes = readFileSync(file);
      const cachedData = IS_ENABLED ? contentOf(cacheFile) : undefined;
      // Latin-1 strings take half the memory and half the time to read.
      const source = `(module)=>{${bytes.toString(isAscii(bytes) ? "latin1" : "utf8")}\n}`;
      const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
      const module: { exports?: unknown } = {};
      script.runInThisContext()(module);
      if (script.cachedDataRejected !== false) saves.push(() => save(script, folder, cacheFile));
      return module.exports;
    },
    save() {
      if (IS_ENABLED) for (const saveFile of saves) saveFile();
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

/** Writes atomically, since other processes may read the file. Does nothing in a folder that is not writable. */
function save(script: Script, folder: string, file: string): void {
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
