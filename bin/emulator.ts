#!/usr/bin/env node
import module from "node:module";
import { join } from "node:path";
import { loadCompiled } from "./compiled-code.ts";
import type * as Starting from "./starting.ts";

/** Since Node 22.1. */
type CompileCache = { enableCompileCache?(folder: string): unknown };

/** The bundle of the commands that start an emulator; the build names it. */
declare const STARTING_BUNDLE: string;

/** Where nobody else can put any code that they do not put here. */
const COMPILED = join(import.meta.dirname, "../.compiled");

const [word = "start"] = process.argv.slice(2);
if (["start", "exec"].includes(word) || word.startsWith("-")) {
  const { exports, keep } = loadCompiled<typeof Starting>(
    join(import.meta.dirname, STARTING_BUNDLE),
    COMPILED,
  );
  void exports.runStarting(keep);
} else {
  (module as CompileCache).enableCompileCache?.(COMPILED);
  void import("./main.ts").then(({ runCommandLine }) => runCommandLine());
}
