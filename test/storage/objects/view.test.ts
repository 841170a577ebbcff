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
      view.show({ bucket: BUCKET, key }, path);
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

test("objects are shown by themselves, once nothing has changed for a moment", async () => {
  const { show, shown, view } = open();
  const keys = Array.from({ length: 30 }, (_, n) => `a/${String(n).padStart(2, "0")}.txt`);
  for (const key of keys) show(key);
  expect(shown()).toEqual([]);
  await vi.waitFor(() => expect(shown()).toEqual(keys.map((key) => `${BUCKET}/${key}`)), 60_000);
  for (const key of keys.slice(1)) view.hide({ bucket: BUCKET, key });
  await vi.waitFor(() => expect(shown()).toEqual([`${BUCKET}/a/00.txt`]), 60_000);
});

test("objects are there at once when they are asked for, as the last change left them", () => {
  const { show, shown, view, folder } = open();
  show("a.txt", "old");
  show("b.txt");
  show("a.txt", "new");
  view.hide({ bucket: BUCKET, key: "b.txt" });
  show("c.txt");
  expect(view.catchUp()).toBe(folder);
  expect(shown()).toEqual([`${BUCKET}/a.txt`, `${BUCKET}/c.txt`]);
  expect(readFileSync(join(folder, BUCKET, "a.txt"), "utf8")).toBe("new");
});

test("what waits for a bucket goes with it, and what waits at the end stays away", () => {
  const { show, shown, view } = open();
  show("a.txt");
  view.catchUp();
  show("b.txt");
  view.hideBucket(BUCKET);
  show("c.txt");
  view.catchUp();
  expect(shown()).toEqual([`${BUCKET}/c.txt`]);
  show("d.txt");
  view.stop();
  view.catchUp();
  expect(shown()).toEqual([`${BUCKET}/c.txt`]);
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
