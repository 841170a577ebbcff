import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDataDirectory } from "../../../emulator/storage/folders/data-directory.ts";
import type { Registry } from "../../../emulator/storage/folders/registry.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "homes-"));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = () => openDataDirectory({ root, isKept: true });

function fill(folder: string, name: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), "here");
}

/** A world `side` beside main, with a file in each of its folders. */
function withSide(): Registry {
  const homes = open();
  const home = homes.prepare("worlds", "side");
  homes.change({ ...homes.registry, worlds: { ...homes.registry.worlds, side: { home, from: null } } });
  for (const folder of [home.traces, home.objects]) fill(folder, "old");
  fill(home.records, "journal-000001.ndjson");
  return homes.registry;
}

it("empties a folder that a new home takes over, even when the process ends in between", () => {
  const { worlds, ...rest } = withSide();
  const objects = worlds.side?.home.objects ?? "";
  const homes = open();
  const home = { ...homes.prepare("worlds", "side"), objects };
  // Nothing can be thrown away, as if the process had ended right there.
  writeFileSync(join(root, ".trash"), "in the way");
  const next = { ...rest, worlds: { ...worlds, side: { home, from: "main" } } };
  expect(() => homes.change(next, { vacated: objects })).toThrow("EEXIST");
  expect(readdirSync(objects)).toEqual(["old"]);
  rmSync(join(root, ".trash"));
  expect(open().registry.worlds.side).toEqual({ home, from: "main" });
  expect(existsSync(objects)).toBe(false);
  fill(objects, "new");
  expect(open().registry).toEqual(next);
  expect(readdirSync(objects)).toEqual(["new"]);
});

it("clears away records that a process which ended has left beside a newer home", () => {
  const { worlds, ...rest } = withSide();
  const homes = open();
  const home = homes.prepare("worlds", "side");
  fill(home.records, "journal-000001.ndjson");
  homes.change({ ...rest, worlds: { ...worlds, side: { home, from: null } } });
  const base = join(root, "worlds", "side");
  fill(base, "journal-000007.ndjson");
  fill(join(base, "traces"), "old");
  open();
  expect(readdirSync(base)).toEqual(["records"]);
  expect(readdirSync(home.records)).toEqual(["journal-000001.ndjson"]);
});

it("knows a home that was being filled", () => {
  withSide();
  const homes = open();
  const { home } = homes.registry.worlds.side ?? {};
  if (!home) throw new Error("There is no world side.");
  homes.markIncomplete(home);
  expect(open().isIncomplete(home)).toBe(true);
  homes.markComplete(home);
  expect(open().isIncomplete(home)).toBe(false);
});

it("changes nothing and ends nothing when the registry cannot be written", () => {
  const { worlds, snapshots } = withSide();
  const homes = open();
  const { main } = worlds;
  // Something is in the way of the file that becomes the registry, as on a disk without room.
  mkdirSync(join(root, ".worlds.json.tmp"));
  const ended: string[] = [];
  const remove = () =>
    homes.change(
      { worlds: { ...(main && { main }) }, snapshots },
      { written: () => void ended.push("side") },
    );
  expect(remove).toThrow(/^Nothing was changed, since the list of worlds cannot be written: EISDIR/);
  expect([ended, homes.registry.worlds]).toEqual([[], worlds]);
  expect(readdirSync(worlds.side?.home.traces ?? "")).toEqual(["old"]);
  rmSync(join(root, ".worlds.json.tmp"), { recursive: true });
  remove();
  expect([ended, Object.keys(homes.registry.worlds)]).toEqual([["side"], ["main"]]);
  expect(existsSync(worlds.side?.home.traces ?? "")).toBe(false);
});
