import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, it } from "vitest";
import { loadCompiled } from "../../bin/compiled-code.ts";

const BUNDLE = `(function (module, require, importFrom, url) {
  module.exports = {
    url, read: () => require("node:fs").readFileSync.length, join: () => importFrom("node:path"), sum: (a, b) => a + b,
    parts: async () => [require("./part-1.js"), await importFrom("./part-1.js"), require("./part-1.js").back()],
  };
})`;
const PART = `(function (module, require) { module.exports = { back: () => require("./bundle-1.js").sum(1, 2) }; })`;

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
let kept: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "emulator-compiled-"));
  file = join(folder, "bundle-1.js");
  kept = join(folder, "kept");
  // V8 compiles the same text only once in a process, whatever was kept.
  writeFileSync(file, `${BUNDLE} // ${folder}`);
  writeFileSync(join(folder, "part-1.js"), `${PART} // ${folder}`);
});

const load = (from = kept) => loadCompiled<Exports>(file, from, createRequire(file));

async function expectWorks({ exports }: ReturnType<typeof load>): Promise<void> {
  expect(exports.sum(1, 2)).toBe(3);
  expect(exports.url).toBe(pathToFileURL(file).href);
  expect(exports.read()).toBeGreaterThan(0);
  expect((await exports.join()).join("a", "b")).toBe(join("a", "b"));
}

it("a bundle loads, requires and imports; its code is kept under its name and that of Node", async () => {
  const loaded = load();
  await expectWorks(loaded);
  expect(existsSync(kept)).toBe(false);
  loaded.keep();
  expect(readdirSync(kept)).toEqual([NAME]);
});

it("a file of the bundle is loaded when it is first asked for, once; its code is kept by itself", async () => {
  const loaded = load();
  loaded.keep();
  expect(readdirSync(kept)).toEqual([NAME]);
  const [required, imported, sum] = await loaded.exports.parts();
  expect(imported).toBe(required);
  expect(sum).toBe(3);
  loaded.keep();
  expect(readdirSync(kept)).toEqual([NAME, PART_NAME]);
  const again = load();
  expect(await again.exports.parts()).toHaveLength(3);
});

it("kept code that V8 does not take is replaced", async () => {
  const wrong = "not compiled code";
  mkdirSync(kept);
  writeFileSync(join(kept, NAME), wrong);
  const loaded = load();
  await expectWorks(loaded);
  expect(readFileSync(join(kept, NAME), "latin1")).toBe(wrong);
  loaded.keep();
  expect(readFileSync(join(kept, NAME), "latin1")).not.toBe(wrong);
});

it("where nothing can be kept, the bundle works all the same", async () => {
  const notAFolder = join(folder, "file");
  writeFileSync(notAFolder, "");
  const loaded = load(notAFolder);
  loaded.keep();
  await expectWorks(loaded);
  expect(readFileSync(notAFolder, "latin1")).toBe("");
});
