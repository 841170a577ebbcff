import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll } from "vitest";

/** Replaces functions of `node:fs` while the tests of a file run, also for modules that have imported them by name. */
export function replaceFileFunctions(replacements: object): void {
  const originals = Object.fromEntries(Object.entries(fs).filter(([name]) => name in replacements));
  const assign = (functions: object) => {
    Object.assign(fs, functions);
    syncBuiltinESMExports();
  };
  beforeAll(() => assign(replacements));
  afterAll(() => assign(originals));
}
