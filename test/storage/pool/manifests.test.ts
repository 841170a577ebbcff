import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyState } from "../../../emulator/kernel/commit.ts";
import { writeState } from "../../../emulator/storage/journal/state.ts";
import { type Manifests, openManifests } from "../../../emulator/storage/pool/manifests.ts";
import { type Manifest, NO_ROWS, newManifest, sealedManifest } from "../../../emulator/storage/pool/names.ts";
import { openPool, type Pool } from "../../../emulator/storage/pool/pool.ts";
import { createSecrets } from "../../../emulator/storage/secrets.ts";
import { temporaryFolder } from "../rows/open-store.ts";

const SECRETS = createSecrets();

function openIn(folder: string, isPersistent = true): { readonly pool: Pool; readonly manifests: Manifests } {
  const pool = openPool(folder, isPersistent);
  return { pool, manifests: openManifests(pool, SECRETS) };
}

function addWorld({ pool, manifests }: ReturnType<typeof openIn>, name: string, from?: Manifest): Manifest {
  const manifest = newManifest(manifests.nextOwner(), pool.isPersistent, from);
  manifests.putWorld(name, { manifest, from: null });
  mkdirSync(pool.folder(manifest.owner), { recursive: true });
  return manifest;
}

const namesOf = (manifests: Manifests) => [...manifests.worlds.keys(), ...manifests.snapshots.keys()];

describe("the manifests of a data folder", () => {
  test("are there again, each change of them at once", () => {
    const folder = temporaryFolder();
    const { manifests, pool } = openIn(folder);
    const a = addWorld({ manifests, pool }, "a");
    manifests.putSnapshot("kept", { manifest: sealedManifest(a), of: "a", now: "", turn: 3 });
    addWorld({ manifests, pool }, "b");
    manifests.putWorld("b", null);
    const again = openIn(folder).manifests;
    expect(namesOf(again)).toStrictEqual(["main", "a", "kept"]);
    expect(again.worlds.get("a")).toStrictEqual({ manifest: a, from: null });
    expect(again.snapshots.get("kept")).toMatchObject({
      of: "a",
      turn: 3,
      manifest: { owner: 0, others: [a.owner] },
    });
  });

  test("never give the number of an owner again, be it that its world is gone or was never written down", () => {
    const folder = temporaryFolder();
    const first = openIn(folder);
    const numbers = [addWorld(first, "a").owner];
    first.manifests.putWorld("a", null);
    const second = openIn(folder);
    numbers.push(second.manifests.nextOwner());
    mkdirSync(second.pool.folder(second.manifests.nextOwner()), { recursive: true });
    const third = openIn(folder);
    numbers.push(third.manifests.nextOwner());
    expect(new Set([1, ...numbers, third.manifests.nextOwner()]).size).toBe(5);
  });

  test("need no search for unused files after a fold, so that a stop does not read the states", async () => {
    const { pool, manifests } = openIn(temporaryFolder());
    const manifest = addWorld({ pool, manifests }, "a");
    const [state, target] = [`${manifest.owner}/state-000000.json`, `${manifest.owner}/state-000001.json`];
    const initial = emptyState(7, 0, { mode: "frozen", rate: 1 });
    writeState(pool, state, { state: initial, rows: NO_ROWS });
    const folded = { ...manifest, state };
    await manifests.folds.start(folded, target, () =>
      manifests.putWorld("a", { manifest: { ...folded, state: target }, from: null }),
    );
    expect(readdirSync(pool.folder(manifest.owner))).toContain("state-000001.json");
    expect([...pool.suspects]).toEqual([]);
  });

  test("are without a last line that was torn, wherever that was", () => {
    const folder = temporaryFolder();
    const opened = openIn(folder);
    const [log, copy] = [join(folder, "worlds.ndjson"), join(folder, "worlds.copy.ndjson")];
    const before = readFileSync(log).length;
    addWorld(opened, "a");
    const after = readFileSync(log);
    const openWith = (bytes: number, bytesOfCopy: number) => {
      writeFileSync(log, after.subarray(0, bytes));
      writeFileSync(copy, after.subarray(0, bytesOfCopy));
      return namesOf(openIn(folder).manifests);
    };
    for (let length = before; length < after.length; length += 7) {
      expect(openWith(length, before)).toStrictEqual(["main"]);
      expect(openWith(after.length, length)).toStrictEqual(["main", "a"]);
    }
    expect(openWith(after.length, after.length)).toStrictEqual(["main", "a"]);
  });

  test("are refused when lines are gone that their copy has, wherever the log was cut", () => {
    const folder = temporaryFolder();
    const opened = openIn(folder);
    addWorld(opened, "a");
    addWorld(opened, "b");
    const log = join(folder, "worlds.ndjson");
    const all = readFileSync(log);
    for (let length = 0; length < all.length; length += 1) {
      writeFileSync(log, all.subarray(0, length));
      expect(() => openIn(folder), `${length} bytes`).toThrow(
        /worlds\.ndjson is missing or ends before byte/,
      );
    }
  });

  test("are read when the process ended before their copy was replaced", () => {
    const folder = temporaryFolder();
    const opened = openIn(folder);
    for (const name of ["a", "b", "c"]) addWorld(opened, name);
    for (const name of ["a", "b", "c"]) opened.manifests.putWorld(name, null);
    const copy = join(folder, "worlds.copy.ndjson");
    const longer = readFileSync(copy);
    openIn(folder);
    writeFileSync(copy, longer);
    expect(namesOf(openIn(folder).manifests)).toStrictEqual(["main"]);
  });

  test("that are damaged, or of another version, are refused with what to do", () => {
    const folder = temporaryFolder();
    openIn(folder);
    const log = join(folder, "worlds.ndjson");
    const good = readFileSync(log, "utf8");
    writeFileSync(log, `{\n${good}`);
    expect(() => openIn(folder)).toThrow(/worlds\.ndjson, line 1, is damaged\.$/);
    writeFileSync(log, good.replace('"format":10', '"format":2'));
    expect(() => openIn(folder)).toThrow(/has format 2; this emulator reads format 10/);
  });

  test("are not begun in a folder of an earlier version, which would seem to be empty", () => {
    for (const file of ["worlds.json", "worlds/main/world.json"]) {
      const folder = temporaryFolder();
      mkdirSync(join(folder, "worlds/main"), { recursive: true });
      writeFileSync(join(folder, file), "{}");
      expect(() => openIn(folder)).toThrow(/was written by an earlier version/);
      expect(existsSync(join(folder, "worlds.ndjson"))).toBe(false);
    }
  });

  test("do not let their log grow with removed manifests", () => {
    const folder = temporaryFolder();
    const opened = openIn(folder);
    for (let n = 0; n < 1500; n += 1)
      opened.manifests.putWorld("a", n % 2 ? null : { manifest: newManifest(9, true), from: null });
    const lines = readFileSync(join(folder, "worlds.ndjson"), "utf8").split("\n").length;
    expect(lines).toBeLessThan(200);
    expect(namesOf(openIn(folder).manifests)).toStrictEqual(["main"]);
  });

  test("of a temporary folder are not written", () => {
    const folder = temporaryFolder();
    const opened = openIn(folder, false);
    expect(addWorld(opened, "a")).toMatchObject({ journals: [] });
    expect(readdirSync(folder)).toStrictEqual(["pool"]);
  });
});

describe("the folder of an owner", () => {
  const ownersOf = ({ pool }: ReturnType<typeof openIn>) => pool.owners().toSorted();

  test("is removed with the last manifest that names it, in any order", () => {
    const opened = openIn(temporaryFolder());
    const { manifests } = opened;
    const parent = addWorld(opened, "parent");
    const child = addWorld(opened, "child", sealedManifest(parent));
    manifests.putSnapshot("kept", { manifest: sealedManifest(child), of: "child", now: "", turn: 1 });
    manifests.putWorld("parent", null);
    expect(ownersOf(opened)).toStrictEqual([parent.owner, child.owner]);
    manifests.putWorld("child", null);
    expect(ownersOf(opened)).toStrictEqual([parent.owner, child.owner]);
    const release = manifests.hold(sealedManifest(child));
    manifests.putSnapshot("kept", null);
    expect(ownersOf(opened)).toStrictEqual([parent.owner, child.owner]);
    release();
    release();
    expect(ownersOf(opened)).toStrictEqual([]);
  });

  test("is removed at the next start when no manifest was written for it", () => {
    const folder = temporaryFolder();
    const first = openIn(folder);
    addWorld(first, "a");
    mkdirSync(join(first.pool.folder(70), "bodies"), { recursive: true });
    mkdirSync(join(folder, "worlds/unknown/objects"), { recursive: true });
    expect(ownersOf(openIn(folder))).toStrictEqual([2]);
    expect(readdirSync(join(folder, "worlds"))).toStrictEqual([]);
  });

  test("removes a journal and a state that no manifest names", () => {
    const opened = openIn(temporaryFolder());
    const { pool, manifests } = opened;
    const manifest = addWorld(opened, "a");
    const own = manifest.journals[0]?.file ?? "";
    appendFileSync(pool.path(own), "1\n");
    const fork = addWorld(opened, "b", { ...sealedManifest(manifest), journals: [{ file: own, bytes: 2 }] });
    manifests.putWorld("a", { manifest: { ...manifest, journals: [] }, from: null });
    expect(existsSync(pool.path(own))).toBe(true);
    manifests.putWorld("b", { manifest: { ...fork, journals: [] }, from: null });
    expect(existsSync(pool.path(own))).toBe(false);
  });
});
