import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { createRecords } from "../../../emulator/kernel/records.ts";
import { bodyName } from "../../../emulator/storage/objects/body-location.ts";
import { isHashed, keyFileOf, nameOf } from "../../../emulator/storage/objects/exported-files.ts";
import { ObjectMirror } from "../../../emulator/storage/objects/object-mirror.ts";
import { openPool } from "../../../emulator/storage/pool/pool.ts";
import { objectId, objects, type StoredObject } from "../../../emulator/subjects/object-storage/records.ts";
import { workingFolder } from "../../support/emulator-process.ts";

const BUCKET = "traces";
const OWNER = 1;

function open() {
  const root = workingFolder();
  const pool = openPool(root, true);
  const folder = pool.objectsFolder("main");
  const records = createRecords([objects as never], {});
  const reader = () => records.reader;
  const mirror = new ObjectMirror({ pool, world: "main", owner: OWNER, reader });
  let last = 0;

  function put(key: string, file: string): void {
    records.table(objects).put({ bucket: BUCKET, key, file } as StoredObject);
    mirror.update({ bucket: BUCKET, key });
  }

  function exportRows(): Record<string, string> {
    if (!existsSync(folder)) return {};
    const results = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path): [string, string] => [relative(folder, path), readFileSync(path, "utf8")]);
    return Object.fromEntries(results.sort());
  }

  return {
    mirror,
    reopen: () => new ObjectMirror({ pool, world: "main", owner: OWNER, reader }),
    folder,
    put,
    exported: exportRows,
    write(key: string, text = key): void {
      last += 1;
      const file = bodyName(OWNER, last);
      mkdirSync(dirname(pool.path(file)), { recursive: true });
      writeFileSync(pool.path(file), text);
      put(key, file);
    },
    remove(key: string): void {
      records.table(objects).remove(objectId(BUCKET, key));
      mirror.update({ bucket: BUCKET, key });
    },
    names: () => Object.keys(exportRows()),
    async close() {
      mirror.stop();
      await pool.settle();
    },
  };
}

function openForTest() {
  const opened = open();
  onTestFinished(opened.close);
  return opened;
}

const MANY = Array.from({ length: 100 }, (_, n) => `a/${String(n).padStart(2, "0")}.txt`);
const names = (keys: readonly string[]) => keys.map((key) => `${BUCKET}/${key}`);
const MAX_IMMEDIATE = 64;

test("exports a few objects at once, and those of a busy world when it has been quiet for a moment", async () => {
  const { write, remove, ...opened } = openForTest();
  for (const key of MANY) write(key);
  expect(opened.names()).toEqual(names(MANY.slice(0, MAX_IMMEDIATE)));
  await vi.waitFor(() => expect(opened.names()).toEqual(names(MANY)), 60_000);
  for (const key of MANY.slice(1)) remove(key);
  expect(opened.names()).toEqual(names(MANY.slice(0, 1)));
});

test("a busy world creates no files, however many objects are pending", () => {
  const { write, put, names } = openForTest();
  write("first.txt");
  for (let n = 0; n < 12_000; n += 1) put(`${n}.txt`, `${bodyName(OWNER, 1)}@0+5`);
  expect(names()).toHaveLength(MAX_IMMEDIATE);
});

const KEYS = ["a.txt", "b.txt", "c/d.txt", "c/e.txt", "c/Ü"] as const;
const key = fc.constantFrom(...KEYS);
const CHANGE = fc.oneof(
  { weight: 8, arbitrary: fc.record({ write: key, text: fc.string({ maxLength: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ remove: key }) },
  { weight: 3, arbitrary: fc.record({ passMs: fc.constantFrom(5, 200, 205, 210, 1_000) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom("rebuild", "removeBucket", "catchUp") }) },
);
type Change = typeof CHANGE extends fc.Arbitrary<infer T> ? T : never;

/** Applies the changes; returns the objects that exist in the end. */
function carryOut(changes: readonly Change[], { mirror, write, remove }: ReturnType<typeof open>) {
  const current = new Map<string, string>();
  // Later changes are pending until the world has been quiet.
  const beBusy = () => {
    for (let n = 0; n < MAX_IMMEDIATE; n += 1) remove("none.txt");
  };
  beBusy();
  for (const change of changes) {
    if ("write" in change) {
      write(change.write, change.text);
      current.set(change.write, change.text);
    } else if ("remove" in change) {
      remove(change.remove);
      current.delete(change.remove);
    } else if ("passMs" in change) {
      vi.advanceTimersByTime(change.passMs);
      beBusy();
    } else if (change.act === "catchUp") mirror.catchUp();
    else if (change.act === "rebuild") mirror.rebuild();
    else {
      for (const key of KEYS) remove(key);
      mirror.removeBucket(BUCKET);
      current.clear();
    }
  }
  return current;
}

const written = (key: (typeof KEYS)[number]): Change => ({ write: key, text: key });

function filesOf([key, text]: readonly [string, string]): [string, string][] {
  const name = nameOf({ bucket: BUCKET, key });
  return isHashed(name)
    ? [
        [name, text],
        [keyFileOf(name), key],
      ]
    : [[name, text]];
}

test("exports the latest version of every object after any changes, and no removed object", async () => {
  const property = fc.asyncProperty(
    fc.array(CHANGE, { minLength: 10, maxLength: 40 }),
    fc.boolean(),
    async (changes, catchesUp) => {
      const opened = open();
      // With fake time, a batch in the background runs between the same two changes in each run.
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      try {
        const current = carryOut(changes, opened);
        if (catchesUp) opened.mirror.catchUp();
        else vi.advanceTimersByTime(60_000);
        expect(opened.exported()).toEqual(Object.fromEntries([...current].flatMap(filesOf)));
      } finally {
        vi.useRealTimers();
        await opened.close();
      }
    },
  );
  // One batch has been exported when the same objects change again.
  const afterBatch: Change[] = [...KEYS.map(written), { passMs: 205 }, ...KEYS.slice(2).map(written)];
  await fc.assert(property, { numRuns: 10, examples: [[afterBatch, true]] });
});

test("drops pending objects of a removed bucket, and all pending objects at the end", () => {
  const { write, remove, names, mirror } = openForTest();
  for (const key of MANY) write(key);
  for (const key of MANY) remove(key);
  mirror.removeBucket(BUCKET);
  expect(names()).toEqual([]);
  write("b.txt");
  mirror.catchUp();
  expect(names()).toEqual([`${BUCKET}/b.txt`]);
  write("c.txt");
  mirror.stop();
  mirror.catchUp();
  expect(names()).toEqual([`${BUCKET}/b.txt`]);
});

test("a copy of a body in a shared file replaces the earlier copy and leaves no temporary file", () => {
  const { put, exported, mirror, folder } = openForTest();
  const shared = join(folder, "../../../pool", bodyName(OWNER, 1));
  mkdirSync(dirname(shared), { recursive: true });
  writeFileSync(shared, "onetwo");
  put("a.txt", `${bodyName(OWNER, 1)}@0+3`);
  writeFileSync(join(folder, BUCKET, "a.txt.~new"), "left by a killed process");
  put("a.txt", `${bodyName(OWNER, 1)}@3+3`);
  put("short.txt", `${bodyName(OWNER, 1)}@3+30`);
  mirror.catchUp();
  expect(exported()).toEqual({ [`${BUCKET}/a.txt`]: "two" });
});

test("keys with and without a dot never need the same name for a file and a folder", () => {
  const { write, names, mirror } = openForTest();
  for (const key of ["a", "a/b", "a/b.txt", "a/b/c", "a.~"]) write(key);
  mirror.catchUp();
  expect(names().filter((name) => !name.includes(".hashed"))).toEqual(
    ["a.~", "a/b.txt", "a/b.~", "a/b/c.~"].map((name) => `${BUCKET}/${name}`),
  );
  expect(names().filter((name) => name.endsWith(".key"))).toHaveLength(1);
});

/** A place with another property, which only the mirror could still reference. */
function pendingPlace({ mirror, put }: Pick<ReturnType<typeof open>, "mirror" | "put">): WeakRef<object> {
  for (const key of MANY) put(key, bodyName(OWNER, 1));
  put("last.txt", bodyName(OWNER, 1));
  const place = { bucket: BUCKET, key: "last.txt", request: "with its headers and connection" };
  mirror.update(place);
  return new WeakRef(place);
}

test("a pending change keeps its bucket and key in memory, not the request", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const place = pendingPlace(openForTest());
  await setImmediate();
  collect();
  expect(place.deref()).toBeUndefined();
});

test("a stop exports for a limited time, and the next start exports the rest", async () => {
  const world = openForTest();
  for (const key of MANY) world.write(key);
  world.mirror.finish(0);
  world.mirror.stop();
  expect(world.names().length).toBeLessThan(MANY.length);
  const next = world.reopen();
  next.catchUp();
  expect(world.names()).toEqual(names(MANY));
  next.finish(0);
  next.stop();
  expect(existsSync(`${world.folder}.incomplete`)).toBe(false);
});
