#!/usr/bin/env node
import { join } from "node:path";
import { type Loaded, loadCompiled } from "./compiled-code.ts";
import { QUESTIONS } from "./question-names.ts";
import type * as Questions from "./questions.ts";
import type * as Starting from "./starting.ts";

/** This file is built as CommonJS. */
declare const require: NodeJS.Require;

/** Since Node 22.1. */
type CompileCache = { enableCompileCache?(folder: string): unknown };

/** The first files of bundles; the build names them. */
declare const STARTING_BUNDLE: string;
declare const QUESTIONS_BUNDLE: string;

/** Where nobody else can put any code that they do not put here. */
const COMPILED = join(import.meta.dirname, "../.compiled");

const [word = "start"] = process.argv.slice(2);
if (["start", "exec"].includes(word) || word.startsWith("-")) {
  const { exports, keep } = compiled<typeof Starting>(STARTING_BUNDLE);
  void exports.runStarting(keep);
} else if (QUESTIONS.some((name) => name === word)) {
  const { exports, keep } = compiled<typeof Questions>(QUESTIONS_BUNDLE);
  void exports.runQuestion(keep);
} else {
  (process.getBuiltinModule("node:module") as CompileCache).enableCompileCache?.(COMPILED);
  void import("./main.ts").then(({ runCommandLine }) => runCommandLine());
}

function compiled<Exports extends object>(name: string): Loaded<Exports> {
  return loadCompiled(join(import.meta.dirname, name), COMPILED, require);
}
