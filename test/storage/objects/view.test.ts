import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { createRecords } from "../../../emulator/kernel/records.ts";
import { isHashed, keyFileOf, nameOf } from "../../../emulator/storage/objects/body-name.ts";
import { bodyName } from "../../../emulator/storage/objects/body-place.ts";
import { createObjectsView } from "../../../emulator/storage/objects/view.ts";
import { openPool } from "../../../emulator/storage/pool/pool.ts";
import { objectId, objects, type StoredObject } from "../../../emulator/subjects/object-storage/records.ts";
import { casesOf } from "../../support/depth.ts";

const BUCKET = "traces";
const OWNER = 1;

function open(knownMax?: number) {
  const root = mkdtempSync(join(tmpdir(), "view-"));
  const pool = openPool(root, true);
  const folder = pool.objectsFolder("main");
  const records = createRecords([objects as never], {});
  const reader = () => records.reader;
  const view = createObjectsView({
    pool,
    world: "main",
    owner: OWNER,
    reader,
    ...(knownMax && { knownMax }),
  });
  let last = 0;

  function put(key: string, file: string): void {
    records.table(objects).put({ bucket: BUCKET, key, file } as StoredObject);
    view.changed({ bucket: BUCKET, key });
  }

  function shown(): Record<string, string> {
    if (!existsSync(folder)) return {};
    const found = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path): [string, string] => [relative(folder, path), readFileSync(path, "utf8")]);
    return Object.fromEntries(found.sort());
  }

  return {
    view,
    folder,
    put,
    shown,
    show(key: string, text = key): void {
      last += 1;
      const file = bodyName(OWNER, last);
      mkdirSync(dirname(pool.path(file)), { recursive: true });
      writeFileSync(pool.path(file), text);
      put(key, file);
    },
    hide(key: string): void {
      records.table(objects).remove(objectId(BUCKET, key));
      view.changed({ bucket: BUCKET, key });
    },
    names: () => Object.keys(shown()),
    async close() {
      view.stop();
      await pool.settle();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function openForTest(knownMax?: number) {
  const opened = open(knownMax);
  onTestFinished(opened.close);
  return opened;
}

const MANY = Array.from({ length: 100 }, (_, n) => `a/${String(n).padStart(2, "0")}.txt`);
const names = (keys: readonly string[]) => keys.map((key) => `${BUCKET}/${key}`);
/** Changes after which others wait. */
const SOON = 64;

test("a few objects are shown at once, those of a busy world once nothing has changed for a moment", async () => {
  const { show, hide, ...opened } = openForTest();
  for (const key of MANY) show(key);
  expect(opened.names()).toEqual(names(MANY.slice(0, SOON)));
  await vi.waitFor(() => expect(opened.names()).toEqual(names(MANY)), 60_000);
  for (const key of MANY.slice(1)) hide(key);
  await vi.waitFor(() => expect(opened.names()).toEqual(names(MANY.slice(0, 1))), 60_000);
});

test("no change of a busy world makes a file, however many wait", () => {
  const { show, put, names } = openForTest();
  show("first.txt");
  for (let n = 0; n < 12_000; n += 1) put(`${n}.txt`, `${bodyName(OWNER, 1)}@0+5`);
  expect(names()).toHaveLength(SOON);
});

test("all objects are there when they are asked for, as the last change left them", () => {
  const { show, hide, shown, view, folder } = openForTest();
  for (const key of MANY) show(key);
  show("a.txt", "old");
  show("b.txt");
  show("a.txt", "new");
  hide("b.txt");
  expect(view.catchUp()).toBe(folder);
  expect(Object.keys(shown())).toEqual(names(["a.txt", ...MANY]));
  expect(shown()[`${BUCKET}/a.txt`]).toBe("new");
});

const KEYS = ["a.txt", "b.txt", "c/d.txt", "c/e.txt", "c/Ü"] as const;
const key = fc.constantFrom(...KEYS);
const CHANGE = fc.oneof(
  { weight: 8, arbitrary: fc.record({ show: key, text: fc.string({ maxLength: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ hide: key }) },
  { weight: 3, arbitrary: fc.record({ passMs: fc.constantFrom(5, 200, 205, 210, 1_000) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom("reconcile", "removeBucket", "catchUp") }) },
);
type Change = typeof CHANGE extends fc.Arbitrary<infer T> ? T : never;

/** What is there in the end, under the keys, after changes of which two wait by their keys. */
function carryOut(changes: readonly Change[], { view, show, hide }: ReturnType<typeof open>) {
  const there = new Map<string, string>();
  // From here on changes wait, until it has been quiet.
  const beBusy = () => {
    for (let n = 0; n < SOON; n += 1) hide("none.txt");
  };
  beBusy();
  for (const change of changes) {
    if ("show" in change) {
      show(change.show, change.text);
      there.set(change.show, change.text);
    } else if ("hide" in change) {
      hide(change.hide);
      there.delete(change.hide);
    } else if ("passMs" in change) {
      vi.advanceTimersByTime(change.passMs);
      beBusy();
    } else if (change.act === "catchUp") view.catchUp();
    else if (change.act === "reconcile") view.reconcile();
    else {
      for (const key of KEYS) hide(key);
      view.hideBucket(BUCKET);
      there.clear();
    }
  }
  return there;
}

const shown = (show: (typeof KEYS)[number]): Change => ({ show, text: show });

function filesOf([key, text]: readonly [string, string]): [string, string][] {
  const name = nameOf({ bucket: BUCKET, key });
  return isHashed(name)
    ? [
        [name, text],
        [keyFileOf(name), key],
      ]
    : [[name, text]];
}

test("of more than wait by their keys, each is shown as it is in the end, and none that is gone", async () => {
  const property = fc.asyncProperty(
    fc.array(CHANGE, { minLength: 10, maxLength: 40 }),
    fc.boolean(),
    async (changes, isAsked) => {
      const opened = open(2);
      // Fake time: what follows in the background comes between the same two changes in each run.
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      try {
        const there = carryOut(changes, opened);
        if (isAsked) opened.view.catchUp();
        else vi.advanceTimersByTime(60_000);
        expect(opened.shown()).toEqual(Object.fromEntries([...there].flatMap(filesOf)));
      } finally {
        vi.useRealTimers();
        await opened.close();
      }
    },
  );
  // A search is under way when there is something to be searched for again.
  const inSearch: Change[] = [...KEYS.map(shown), { passMs: 205 }, ...KEYS.slice(2).map(shown)];
  await fc.assert(property, { numRuns: casesOf(400), examples: [[inSearch, true]] });
});

test("what waits for a bucket goes with it, and what waits at the end stays away", () => {
  const { show, hide, names, view } = openForTest();
  for (const key of MANY) show(key);
  for (const key of MANY) hide(key);
  view.hideBucket(BUCKET);
  expect(names()).toEqual([]);
  show("b.txt");
  view.catchUp();
  expect(names()).toEqual([`${BUCKET}/b.txt`]);
  show("c.txt");
  view.stop();
  view.catchUp();
  expect(names()).toEqual([`${BUCKET}/b.txt`]);
});

test("keys with and without a dot have names that never need one another's place", () => {
  const { show, names, view } = openForTest();
  for (const key of ["a", "a/b", "a/b.txt", "a/b/c", "a.~"]) show(key);
  view.catchUp();
  expect(names().filter((name) => !name.includes(".hashed"))).toEqual(
    ["a.~", "a/b.txt", "a/b.~", "a/b/c.~"].map((name) => `${BUCKET}/${name}`),
  );
  expect(names().filter((name) => name.endsWith(".key"))).toHaveLength(1);
});

/** A place with more to it, which nothing but the view can hold. */
function waitingPlace({ changed }: Pick<ReturnType<typeof open>["view"], "changed">): WeakRef<object> {
  for (const key of MANY) changed({ bucket: BUCKET, key });
  const place = { bucket: BUCKET, key: "last.txt", request: "with its headers and connection" };
  changed(place);
  return new WeakRef(place);
}

test("a change that waits holds its place alone, not the request that it came with", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const place = waitingPlace(openForTest().view);
  await setImmediate();
  collect();
  expect(place.deref()).toBeUndefined();
});
