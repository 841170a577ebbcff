import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findDamage } from "../../../emulator/storage/find-damage.ts";
import {
  copied,
  damagesOf,
  dataFilesIn,
  kindOf,
  type RichFolder,
  richFolders,
  substitutionsOf,
  wrongAfterReset,
  wrongIn,
  wrongInReport,
} from "./damage-sweep.ts";

/** One of so many damages is also reported by the doctor, and one is ended by a reset: each costs as much as to read everything. */
const EVERY = 8;

let folders: readonly RichFolder[];

beforeAll(async () => {
  folders = await richFolders();
});

afterAll(() => {
  for (const { folder, others } of folders)
    for (const each of [folder, ...Object.values(others)]) rmSync(each, { recursive: true, force: true });
});

/** The file of each kind that comes last, which most worlds know. */
function oneOfEachKind({ folder }: RichFolder): readonly string[] {
  return [...new Map(dataFilesIn(folder).map((file) => [kindOf(file), file])).values()];
}

describe("a data folder", () => {
  test("that nothing has happened to is whole, and all of it is shown", async () => {
    for (const { folder, shown } of folders) {
      const copy = copied(folder);
      expect(await findDamage(copy)).toEqual([]);
      rmSync(copy, { recursive: true });
      expect([...shown].filter(([, reply]) => !reply.startsWith("200 "))).toEqual([]);
      expect(shown.size).toBeGreaterThan(40);
    }
  });

  test("with a file of another world, time or folder in place of a file has correct data, or the doctor names the file", async () => {
    const wrong: (string | undefined)[] = [];
    let count = 0;
    for (const folder of folders)
      for (const file of oneOfEachKind(folder))
        for (const damage of substitutionsOf(folder, file)) {
          wrong.push(await wrongInReport(folder, damage));
          count += 1;
        }
    expect(wrong.filter((each) => each !== undefined)).toEqual([]);
    expect(count).toBeGreaterThan(12);
  });

  test("with one damaged file has correct data or refuses it with the file name; the doctor names it, and a reset removes it", async () => {
    const all = folders.flatMap((folder, at) =>
      oneOfEachKind(folder).flatMap((file) =>
        damagesOf(folder, file).map((damage) => ({ folder, at, damage })),
      ),
    );
    expect(all.length).toBeGreaterThan(100);
    // Each damage to one of the two folders, those of the killed process in turn with those of the closed one.
    const due = all.filter(({ at }, place) => place % 2 === at);
    const wrong: (string | undefined)[] = [];
    for (const [place, { folder, damage }] of due.entries()) {
      wrong.push(await wrongIn(folder, damage));
      if (place % EVERY === 0) wrong.push(await wrongAfterReset(folder, damage));
      if (place % EVERY === 1) wrong.push(await wrongInReport(folder, damage));
    }
    expect(wrong.filter((each) => each !== undefined)).toEqual([]);
  });
});
