import { readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { expect, it } from "vitest";

const OWN = "emulator/runtime/process/lazy-modules.ts";
/** What is loaded before anything is served, or by other programs than the emulator. */
const AT_START = [
  "yaml",
  "proper-lockfile",
  "emulator/runtime/library/snapshot-files.ts",
  "emulator/runtime/process/lazy-modules.ts",
];
const ELSEWHERE = /^emulator\/(?:console|entries)\//;

/** What a file imports when it gets there: files of the project by their paths. */
function loadedIn(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/(?<!typeof )(?<!: )\bimport\(\s*"([^"]+)"\s*\)/g)].map(([, name = ""]) =>
    name.startsWith(".") ? normalize(join(file, "..", name)) : name,
  );
}

it("what requests may load first is all loaded before where descriptors are few", () => {
  const files = readdirSync("emulator", { recursive: true, encoding: "utf8" })
    .map((file) => join("emulator", file))
    .filter((file) => file.endsWith(".ts") && file !== OWN && !ELSEWHERE.test(file));
  const later = [...new Set(files.flatMap(loadedIn))].filter((name) => !AT_START.includes(name));
  expect(later.length).toBeGreaterThan(10);
  expect(loadedIn(OWN).toSorted()).toEqual(later.toSorted());
});
