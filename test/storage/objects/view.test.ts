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
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test, vi } from "vitest";
import { createObjectsView } from "../../../emulator/storage/objects/view.ts";

const BUCKET = "traces";

function open() {
  const root = mkdtempSync(join(tmpdir(), "view-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "bodies"));
  const folder = join(root, "objects");
  const view = createObjectsView(folder, (path) => rmSync(path, { recursive: true, force: true }));
  onTestFinished(() => view.stop());
  return {
    view,
    folder,
    show(key: string, text = key): void {
      const path = join(root, "bodies", encodeURIComponent(`${key} ${text}`));
      writeFileSync(path, text);
      view.show({ bucket: BUCKET, key }, { path, start: 0, length: undefined });
    },
    shown: () =>
      existsSync(folder)
        ? readdirSync(folder, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
            .sort()
        : [],
  };
}

const MANY = Array.from({ length: 100 }, (_, n) => `a/${String(n).padStart(2, "0")}.txt`);
const names = (keys: readonly string[]) => keys.map((key) => `${BUCKET}/${key}`);

test("a few objects are shown at once, those of a busy world once nothing has changed for a moment", async () => {
  const { show, shown, view } = open();
  for (const key of MANY) show(key);
  expect(shown()).toEqual(names(MANY.slice(0, 64)));
  await vi.waitFor(() => expect(shown()).toEqual(names(MANY)), 60_000);
  for (const key of MANY.slice(1)) view.hide({ bucket: BUCKET, key });
  await vi.waitFor(() => expect(shown()).toEqual(names(MANY.slice(0, 1))), 60_000);
});

test("all objects are there when they are asked for, as the last change left them", () => {
  const { show, shown, view, folder } = open();
  for (const key of MANY) show(key);
  show("a.txt", "old");
  show("b.txt");
  show("a.txt", "new");
  view.hide({ bucket: BUCKET, key: "b.txt" });
  expect(view.catchUp()).toBe(folder);
  expect(shown()).toEqual(names(["a.txt", ...MANY]));
  expect(readFileSync(join(folder, BUCKET, "a.txt"), "utf8")).toBe("new");
});

test("what waits for a bucket goes with it, and what waits at the end stays away", () => {
  const { show, shown, view } = open();
  for (const key of MANY) show(key);
  view.hideBucket(BUCKET);
  show("b.txt");
  view.catchUp();
  expect(shown()).toEqual(names(["b.txt"]));
  show("c.txt");
  view.stop();
  view.catchUp();
  expect(shown()).toEqual(names(["b.txt"]));
});

test("keys with and without a dot have names that never need one another's place", () => {
  const { show, shown, view } = open();
  for (const key of ["a", "a/b", "a/b.txt", "a/b/c", "a.~"]) show(key);
  view.catchUp();
  expect(shown().filter((name) => !name.includes(".hashed"))).toEqual(
    ["a.~", "a/b.txt", "a/b.~", "a/b/c.~"].map((name) => `${BUCKET}/${name}`),
  );
  expect(shown().filter((name) => name.endsWith(".key"))).toHaveLength(1);
});

/** A place with more to it, which nothing but the view can hold. */
function waitingPlace({ hide }: Pick<ReturnType<typeof open>["view"], "hide">): WeakRef<object> {
  for (const key of MANY) hide({ bucket: BUCKET, key });
  const place = { bucket: BUCKET, key: "last.txt", request: "with its headers and connection" };
  hide(place);
  return new WeakRef(place);
}

test("a change that waits holds its place alone, not the request that it came with", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const place = waitingPlace(open().view);
  await setImmediate();
  collect();
  expect(place.deref()).toBeUndefined();
});
