import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openObjectFiles } from "../../emulator/storage/objects/object-files.ts";
import type { Reader } from "../../emulator/subjects/turn.ts";
import { openWorldSet, type TestWorld, textOf, type WorldSet } from "./world-set.ts";

const real = { linkSync: fs.linkSync, copyFileSync: fs.copyFileSync };

let worldSet: WorldSet;

beforeEach(() => {
  worldSet = openWorldSet();
});

afterEach(() => {
  Object.assign(fs, real);
  syncBuiltinESMExports();
  worldSet.clear();
});

/** What the platform says where folders cannot share a file. */
function failing(code: string, ...calls: (keyof typeof real)[]): void {
  for (const call of calls) {
    fs[call] = () => {
      throw Object.assign(new Error(code), { code });
    };
  }
  syncBuiltinESMExports();
}

function worldAt(at: number): TestWorld {
  return worldSet.worlds[at] as TestWorld;
}

/** Paths of all files in a world's own folder. */
function filesOf(at: number): readonly string[] {
  const names = fs.readdirSync(worldAt(at).folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name).slice(worldAt(at).folder.length + 1))
    .sort();
}

/** What each world reads of an object. */
function seen(bucket: string, key: string): readonly (string | undefined)[] {
  expect(worldSet.read()).toEqual(worldSet.expected());
  return worldSet.read().map((bodies) => bodies[`${bucket}/${key}`]);
}

describe("a fork", () => {
  test("puts nothing on disk and looks at no record, however much there is", () => {
    for (let n = 0; n < 50; n += 1) worldSet.put(0, "traces", `${n}.txt`, "x");
    worldSet.fork(0);
    worldAt(1).files.recover(undefined as unknown as Reader);
    expect(fs.readdirSync(worldAt(1).folder)).toEqual([".tmp"]);
    expect(filesOf(1)).toEqual([]);
    expect(seen("traces", "7.txt")).toEqual(["x", "x"]);
  });

  test("keeps what its parent overwrites, removes and puts anew", async () => {
    worldSet.put(0, "traces", "a.txt", "one");
    worldSet.fork(0);
    worldSet.put(0, "traces", "a.txt", "two");
    expect(seen("traces", "a.txt")).toEqual(["two", "one"]);
    worldSet.remove(0, "traces", "a.txt");
    expect(seen("traces", "a.txt")).toEqual([undefined, "one"]);
    worldSet.put(0, "traces", "a.txt", "three");
    await worldSet.removeBucket(0, "traces");
    worldSet.put(0, "traces", "a.txt", "four");
    worldSet.fork(0);
    await worldSet.removeBucket(0, "traces");
    expect(seen("traces", "a.txt")).toEqual([undefined, "one", "four"]);
    expect(filesOf(0)).toEqual([]);
  });

  test("changes nothing in its parent's folder", async () => {
    for (const key of ["a.txt", "b.txt", "Ü"]) worldSet.put(0, "traces", key, "old");
    worldSet.fork(0);
    const before = filesOf(0);
    worldSet.put(1, "traces", "a.txt", "new");
    worldSet.put(1, "traces", "Ü", "new");
    worldSet.remove(1, "traces", "b.txt");
    worldSet.refuse(1, "traces", "Ü", "refused");
    expect(seen("traces", "a.txt")).toEqual(["old", "new"]);
    await worldSet.removeBucket(1, "traces");
    expect(seen("traces", "Ü")).toEqual(["old", undefined]);
    expect(filesOf(0)).toEqual(before);
  });

  test("of a fork keeps what stood in neither folder but the first", () => {
    worldSet.put(0, "traces", "a.txt", "one");
    worldSet.fork(0);
    worldSet.put(1, "traces", "b.txt", "one");
    worldSet.fork(1);
    expect(worldAt(2).bases).toEqual([worldAt(1).folder, worldAt(0).folder]);
    worldSet.put(1, "traces", "a.txt", "two");
    expect(seen("traces", "a.txt")).toEqual(["one", "two", "one"]);
  });

  test("of a fork is not given what its parent has long replaced", () => {
    worldSet.put(0, "traces", "a.txt", "one");
    worldSet.fork(0);
    worldSet.put(1, "traces", "a.txt", "two");
    worldSet.fork(1);
    worldSet.put(0, "traces", "a.txt", "three");
    expect(seen("traces", "a.txt")).toEqual(["three", "two", "two"]);
    expect(filesOf(2)).toEqual([]);
  });

  test("outlives its parent, be that reset or removed", () => {
    worldSet.put(0, "traces", "a.txt", "one");
    worldSet.fork(0);
    worldSet.fork(1);
    worldSet.end(1);
    worldSet.put(0, "traces", "a.txt", "two");
    expect(seen("traces", "a.txt")).toEqual(["two", "one"]);
    worldSet.fork(0);
    worldSet.reset(0);
    worldSet.put(0, "traces", "a.txt", "three");
    expect(seen("traces", "a.txt")).toEqual(["three", "one", "two"]);
  });

  test("is not filled with objects that came and went after it", async () => {
    worldSet.put(0, "traces", "old.txt", "old");
    worldSet.put(0, "traces", "Ä", "old");
    worldSet.fork(0);
    for (let n = 0; n < 5; n += 1) {
      worldSet.put(0, "traces", `${n}.txt`, "new");
      worldSet.put(0, "traces", `${n}.txt`, "newer");
      if (n % 2 === 0) worldSet.remove(0, "traces", `${n}.txt`);
      worldSet.put(0, "traces", `Ü${n}`, "new");
      worldSet.putPart(0, "upload", 1, `part ${n}`);
    }
    worldSet.removeUpload(0, "upload");
    await worldSet.removeBucket(0, "traces");
    const hashed = filesOf(1).map((file) => file.replace(/[0-9a-f]{64}/, "#"));
    expect(hashed).toEqual(["traces/.hashed/#", "traces/.hashed/#.key", "traces/old.txt"]);
    expect(seen("traces", "Ä")).toEqual([undefined, "old"]);
  });

  test("has its keys beside hashed names, and a name apart for each case", () => {
    worldSet.put(0, "traces", "a.txt", "small");
    worldSet.put(0, "traces", "A.txt", "capital");
    worldSet.fork(0);
    worldSet.put(0, "traces", "a.txt", "new small");
    expect(seen("traces", "A.txt")).toEqual(["capital", "capital"]);
    expect(filesOf(1)).toEqual(["traces/a.txt"]);
    worldSet.put(0, "traces", "A.txt", "new capital");
    expect(seen("traces", "a.txt")).toEqual(["new small", "small"]);
    expect(seen("traces", "A.txt")).toEqual(["new capital", "capital"]);
    const key = filesOf(1).find((file) => file.endsWith(".key")) as string;
    expect(fs.readFileSync(join(worldAt(1).folder, key), "utf8")).toBe("A.txt");
  });

  test("goes on with an upload that is under way, as its parent does", () => {
    worldSet.putPart(0, "upload", 1, "first");
    const underWay = worldAt(0).files.stage();
    underWay.writeWhole(Buffer.from("second of the parent"));
    worldSet.fork(0);
    worldAt(0).files.publish(underWay, { uploadId: "upload", partNumber: 2 }, (body) => body);
    worldSet.putPart(1, "upload", 2, "second of the fork");
    worldSet.removeUpload(0, "upload");
    const [parent, fork] = worldSet.read();
    expect(parent).toEqual({});
    expect(fork).toEqual({ "upload/1": "first", "upload/2": "second of the fork" });
    worldSet.removeUpload(1, "upload");
    expect([filesOf(0), filesOf(1)]).toEqual([[], []]);
  });

  test("does not show its parent's body in place of its own that cannot be read", () => {
    worldSet.put(0, "traces", "a.txt", "one");
    worldSet.fork(0);
    const own = join(worldAt(1).folder, "traces/a.txt");
    fs.mkdirSync(join(own, ".."));
    fs.symlinkSync(own, own);
    expect(textOf(worldAt(1).files, "traces/a.txt")).toBeUndefined();
  });

  test("does not read through a folder that holds nothing", () => {
    worldSet.put(0, "traces", "a.txt", "one");
    worldSet.fork(0);
    worldSet.fork(1);
    expect(worldAt(2).bases).toEqual([worldAt(0).folder]);
    worldSet.put(1, "traces", "b.txt", "two");
    worldSet.fork(1);
    worldSet.remove(1, "traces", "b.txt");
    worldSet.fork(1);
    expect(worldAt(3).bases).toEqual([worldAt(1).folder, worldAt(0).folder]);
    expect(worldAt(4).bases).toEqual([worldAt(0).folder]);
    worldSet.put(0, "traces", "a.txt", "three");
    expect(seen("traces", "a.txt")).toEqual(["three", "one", "one", "one", "one"]);
  });

  test("gets what is left of a bucket that it has written to already", async () => {
    for (const key of ["a.txt", "b.txt", "day=1/c.txt"]) worldSet.put(0, "traces", key, "one");
    worldSet.fork(0);
    worldSet.put(1, "traces", "a.txt", "two");
    await worldSet.removeBucket(0, "traces");
    expect(worldSet.read()[1]).toEqual({
      "traces/a.txt": "two",
      "traces/b.txt": "one",
      "traces/day=1/c.txt": "one",
    });
    expect(seen("traces", "b.txt")).toEqual([undefined, "one"]);
  });

  test("gets a removed bucket like every other fork", async () => {
    for (const key of ["a.txt", "Ü"]) worldSet.put(0, "traces", key, "one");
    for (let n = 0; n < 3; n += 1) worldSet.fork(0);
    await worldSet.removeBucket(0, "traces");
    expect(seen("traces", "Ü")).toEqual([undefined, "one", "one", "one"]);
    expect(seen("traces", "a.txt")).toEqual([undefined, "one", "one", "one"]);
  });

  describe("while a bucket is removed that several share", () => {
    const KEYS = Array.from({ length: 100 }, (_, n) => (n % 3 === 0 ? `Ü${n}` : `day=${n % 7}/${n}.txt`));

    /** A removal that has begun; calls back in each round of the event loop until it is over. */
    async function during(removal: Promise<void>, look: () => void): Promise<void> {
      let isOver = false;
      const over = removal.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        look();
        await nextRound();
      }
      await over;
    }

    beforeEach(() => {
      for (const key of KEYS) worldSet.put(0, "traces", key, "one");
      worldSet.fork(0);
      worldSet.fork(0);
    });

    test("reads all of it, and so does its sibling, and nobody waits for more than some bodies", async () => {
      let links = 0;
      let most = 0;
      fs.linkSync = (...parameters) => {
        real.linkSync(...parameters);
        links += 1;
      };
      syncBuiltinESMExports();
      await during(worldSet.removeBucket(0, "traces"), () => {
        most = Math.max(most, links);
        links = 0;
        expect(worldSet.read()).toEqual(worldSet.expected());
      });
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(64);
      expect([0, 1, 2].map((at) => filesOf(at).filter((file) => !file.endsWith(".key")).length)).toEqual([
        0, 100, 100,
      ]);
    });

    test("keeps the old bodies, and the parent those of a bucket that it makes anew", async () => {
      const anew = [...KEYS.slice(0, 3), ...KEYS.slice(-3), "other.txt"];
      let round = 0;
      await during(worldSet.removeBucket(0, "traces"), () => {
        const key = anew[round];
        round += 1;
        if (key !== undefined) worldSet.put(0, "traces", key, "two");
        if (round === 3) worldSet.remove(0, "traces", anew[1] as string);
        expect(worldSet.read()).toEqual(worldSet.expected());
      });
      expect(round).toBeGreaterThan(3);
      expect(seen("traces", anew[0] as string)).toEqual(["two", "one", "one"]);
      expect(seen("traces", anew[1] as string)).toEqual([undefined, "one", "one"]);
      const bodies = filesOf(0).filter((file) => !file.endsWith(".key"));
      expect(bodies).toHaveLength(worldAt(0).expected.objects.size);
      worldSet.restart();
      expect(worldSet.read()).toEqual(worldSet.expected());
    });

    test("goes on when the process has ended on the way, though the bucket is there anew", async () => {
      let round = 0;
      await during(worldSet.removeBucket(0, "traces"), () => {
        round += 1;
        if (round === 1)
          for (const key of ["other.txt", ...KEYS.slice(-2)]) worldSet.put(0, "traces", key, "two");
        if (round !== 2) return;
        worldAt(0).files.end();
        worldSet.restart();
      });
      expect(round).toBeGreaterThan(1);
      expect(seen("traces", "other.txt")).toEqual(["two", undefined, undefined]);
      expect(seen("traces", KEYS[98] as string)).toEqual(["two", "one", "one"]);
      expect(seen("traces", KEYS[0] as string)).toEqual([undefined, "one", "one"]);
      expect(filesOf(0).filter((file) => !file.endsWith(".key"))).toHaveLength(3);
      worldSet.restart();
      expect(worldSet.read()).toEqual(worldSet.expected());
    });

    test.each(["end", "reset", "restart"] as const)(
      "has all of it when the parent's %s comes between",
      async (act) => {
        let round = 0;
        await during(worldSet.removeBucket(0, "traces"), () => {
          round += 1;
          if (round === 2) worldSet[act](0);
          expect(worldSet.read()).toEqual(worldSet.expected());
        });
        expect(worldSet.read()).toEqual(worldSet.expected());
        expect(worldSet.read().at(-1)?.[`traces/${KEYS[99]}`]).toBe("one");
      },
    );
  });

  test("needs an empty folder", () => {
    const { folder } = worldAt(0);
    fs.writeFileSync(join(folder, "left.txt"), "x");
    expect(() => openObjectFiles({ folder, boot: 2 })).toThrow(/needs an empty folder.*remove it first/);
  });
});

test("a reader of a body sees it whole, whatever the other side does", () => {
  worldSet.put(0, "traces", "a.txt", "one");
  worldSet.fork(0);
  const bodies = [0, 1].map((at) => worldAt(at).files.open("traces/a.txt"));
  worldSet.put(0, "traces", "a.txt", "two");
  worldSet.remove(1, "traces", "a.txt");
  const texts = bodies.map((body) => {
    const bytes = Buffer.alloc(body?.size ?? 0);
    fs.readSync(body?.fd as number, bytes);
    worldAt(0).files.close(body as NonNullable<typeof body>);
    return bytes.toString();
  });
  expect(texts).toEqual(["one", "one"]);
});

describe("after a crash", () => {
  test.each(["after the records", "before the records"] as const)(
    "%s, neither side loses what it had",
    async (crash) => {
      worldSet.put(0, "traces", "a.txt", "one");
      worldSet.put(0, "other", "b.txt", "one");
      worldSet.putPart(0, "upload", 1, "part");
      worldSet.putPart(0, "aborted", 1, "part");
      worldSet.fork(0);
      worldSet.put(0, "traces", "a.txt", "two", crash);
      await worldSet.removeBucket(0, "other", crash);
      worldSet.putPart(0, "upload", 1, "new part", crash);
      worldSet.removeUpload(0, "aborted", crash);
      const inherited = {
        "traces/a.txt": "one",
        "other/b.txt": "one",
        "upload/1": "part",
        "aborted/1": "part",
      };
      expect(worldSet.read()).toEqual(worldSet.expected());
      expect(worldSet.read()[1]).toEqual(inherited);
      worldSet.put(1, "traces", "a.txt", "three", crash);
      worldSet.removeUpload(1, "upload", crash);
      expect(worldSet.read()).toEqual(worldSet.expected());
      for (const at of [0, 1]) expect(fs.readdirSync(join(worldAt(at).folder, ".tmp"))).toEqual([]);
    },
  );

  test("a body on its way into a fork is not taken for one that its parent had under that name", () => {
    worldSet.put(0, "traces", "a.txt", "one");
    worldSet.fork(0);
    const stage = worldAt(1).files.stage();
    stage.writeWhole(Buffer.from("never committed"));
    expect(stage.name).toBe("2-1");
    worldSet.restart();
    expect(seen("traces", "a.txt")).toEqual(["one", "one"]);
    expect(filesOf(1)).toEqual([]);
  });
});

describe("where folders cannot share a file", () => {
  test("a fork gets a copy", () => {
    worldSet.put(0, "traces", "a.txt", "one");
    worldSet.put(0, "traces", "Ü", "one");
    worldSet.fork(0);
    failing("EXDEV", "linkSync");
    worldSet.put(0, "traces", "a.txt", "two");
    worldSet.remove(0, "traces", "Ü");
    expect(seen("traces", "a.txt")).toEqual(["two", "one"]);
    expect(seen("traces", "Ü")).toEqual([undefined, "one"]);
    expect(fs.readdirSync(join(worldAt(1).folder, ".tmp"))).toEqual([]);
    worldSet.put(1, "traces", "a.txt", "three");
    worldSet.restart();
    worldSet.put(0, "traces", "a.txt", "four");
    expect(seen("traces", "a.txt")).toEqual(["four", "three"]);
  });

  test("and there is no room for a copy, a put is refused before a record is written", () => {
    worldSet.put(0, "traces", "a.txt", "one");
    worldSet.fork(0);
    failing("ENOSPC", "linkSync", "copyFileSync");
    expect(() => worldSet.put(0, "traces", "a.txt", "two")).toThrow("ENOSPC");
    expect(seen("traces", "a.txt")).toEqual(["one", "one"]);
  });
});

describe("when the world has ended", () => {
  test("bodies on their way are refused, and its successor's folder is left alone", async () => {
    worldSet.put(0, "traces", "a.txt", "old");
    const { files, folder } = worldAt(0);
    const early = files.stage();
    const writing = early.write(Buffer.from("early"));
    worldSet.reset(0);
    worldSet.put(0, "traces", "a.txt", "new");
    const late = files.stage();
    late.writeWhole(Buffer.from("late"));
    await Promise.all([writing, early.close(), late.write(Buffer.from("later")), late.close()]);
    for (const stage of [early, late]) {
      const place = { bucket: "traces", key: "a.txt" };
      expect(files.publish(stage, place, () => "kept")).toMatchObject({ error: "OperationAborted" });
      stage.discard();
    }
    files.remove("traces/a.txt");
    files.removeUpload("upload");
    await files.removeBucket("traces");
    expect(files.open("traces/a.txt")).toBeUndefined();
    expect(fs.readFileSync(join(folder, "traces/a.txt"), "utf8")).toBe("new");
  });

  test("its folder is the caller's, with all that is in it", () => {
    worldSet.put(0, "traces", "a.txt", "one");
    const { files, folder } = worldAt(0);
    const stage = files.stage();
    stage.writeWhole(Buffer.from("under way"));
    files.end();
    expect(filesOf(0)).toEqual(["traces/a.txt"]);
    expect(fs.readFileSync(join(folder, "traces/a.txt"), "utf8")).toBe("one");
  });
});
