import { join } from "node:path";
import { runBundle } from "./bundle-loader.ts";
import { codeCacheIn } from "./compiled-code.ts";
import { QUESTIONS } from "./question-names.ts";
import type * as Questions from "./questions.ts";
import type * as Starting from "./starting.ts";

/** This file is built as CommonJS. */
declare const require: NodeJS.Require;

/** Node 22.1 has the first function, Node 22.10 the second. */
interface NodeCompileCache {
  enableCompileCache?(folder: string): unknown;
  flushCompileCache?(): void;
}

/** The first files of bundles; the build names them. */
declare const STARTING_BUNDLE: string;
declare const QUESTIONS_BUNDLE: string;

/** Only who may write to the package may write to this folder. */
const COMPILED = join(import.meta.dirname, "../.compiled");

const nodeCache = process.getBuiltinModule("node:module") as NodeCompileCache;
nodeCache.enableCompileCache?.(COMPILED);
const cache = nodeCache.enableCompileCache
  ? { load: require, save: () => nodeCache.flushCompileCache?.() }
  : codeCacheIn(COMPILED);

// A write beyond `ulimit -f` fails with EFBIG. Its signal would end the process without a message.
process.on("SIGXFSZ", () => undefined);

const [word = "start"] = process.argv.slice(2);
if (["start", "exec"].includes(word) || word.startsWith("-"))
  void bundle<typeof Starting>(STARTING_BUNDLE).runStarting(cache.save);
else if (QUESTIONS.some((name) => name === word))
  void bundle<typeof Questions>(QUESTIONS_BUNDLE).runQuestion(cache.save);
else void import("./main.ts").then(({ runCommandLine }) => runCommandLine());

function bundle<Exports extends object>(name: string): Exports {
  return runBundle<Exports>(join(import.meta.dirname, name), cache.load, require);
}
