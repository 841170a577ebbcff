import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, it } from "vitest";
import { runBundle } from "../../bin/bundle-loader.ts";
import { codeCacheIn } from "../../bin/compiled-code.ts";
import { workingFolder } from "../support/emulator-process.ts";

const BUNDLE = `module.exports = (function (module, require, importFrom, url) {
  module.exports = {
    url, read: () => require("node:fs").readFileSync.length, join: () => importFrom("node:path"), sum: (a, b) => a + b,
    parts: async () => [require("./part-1.js"), await importFrom("./part-1.js"), require("./part-1.js").back()],
  };
})`;
const PART = `module.exports = (function (module, require) { module.exports = { back: () => require("./bundle-1.js").sum(1, 2) }; })`;

interface Exports {
  readonly url: string;
  read(): number;
  join(): Promise<typeof import("node:path")>;
  sum(a: number, b: number): number;
  parts(): Promise<readonly unknown[]>;
}

const [NAME = "", PART_NAME] = ["bundle-1.js", "part-1.js"].map(
  (name) => `${name}-${process.version}-${process.arch}`,
);

let folder: string;
let file: string;
let cache: string;

beforeEach(() => {
  folder = workingFolder();
  file = join(folder, "bundle-1.js");
  cache = join(folder, "cache");
  // V8 compiles the same text only once in a process, whatever is in the cache.
  writeFileSync(file, `${BUNDLE} // ${folder}`);
  writeFileSync(join(folder, "part-1.js"), `${PART} // ${folder}`);
});

function load(folder = cache) {
  const { load: loadFile, save } = codeCacheIn(folder);
  return { exports: runBundle<Exports>(file, loadFile, createRequire(file)), save };
}

async function expectWorks({ exports }: ReturnType<typeof load>): Promise<void> {
  expect(exports.sum(1, 2)).toBe(3);
  expect(exports.url).toBe(pathToFileURL(file).href);
  expect(exports.read()).toBeGreaterThan(0);
  expect((await exports.join()).join("a", "b")).toBe(join("a", "b"));
}

it("runs a bundle that requires and imports, and saves its code under its name and the version of Node", async () => {
  const module = load();
  await expectWorks(module);
  expect(existsSync(cache)).toBe(false);
  module.save();
  expect(readdirSync(cache)).toEqual([NAME]);
});

it("loads a further file of the bundle once, on first use, and saves its code separately", async () => {
  const module = load();
  module.save();
  expect(readdirSync(cache)).toEqual([NAME]);
  const [required, imported, sum] = await module.exports.parts();
  expect(imported).toBe(required);
  expect(sum).toBe(3);
  module.save();
  expect(readdirSync(cache)).toEqual([NAME, PART_NAME]);
  const again = load();
  expect(await again.exports.parts()).toHaveLength(3);
});

it("replaces code that V8 rejects", async () => {
  const wrong = "not compiled code";
  mkdirSync(cache);
  writeFileSync(join(cache, NAME), wrong);
  const module = load();
  await expectWorks(module);
  expect(readFileSync(join(cache, NAME), "latin1")).toBe(wrong);
  module.save();
  expect(readFileSync(join(cache, NAME), "latin1")).not.toBe(wrong);
});

it("without a writable cache the bundle still works", async () => {
  const notAFolder = join(folder, "file");
  writeFileSync(notAFolder, "");
  const module = load(notAFolder);
  module.save();
  await expectWorks(module);
  expect(readFileSync(notAFolder, "latin1")).toBe("");
});
