import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it, test } from "vitest";
import { COLLECTIONS } from "../../../emulator/runtime/assembly.ts";
import { startEmulator } from "../../../emulator/runtime/index.ts";
import { importArchive } from "../../../emulator/storage/archive/import-archive.ts";
import { type PackedEntry, packEntries, textEntry } from "../../../emulator/storage/archive/pack.ts";
import { openPool, type Pool } from "../../../emulator/storage/pool/pool.ts";
import { createSecrets } from "../../../emulator/storage/secrets.ts";
import { filesOf } from "../../../emulator/storage/unneeded-files.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { MANIFEST } from "./manifest.ts";

let folder: string;
let pool: Pool;

beforeEach(() => {
  folder = workingFolder();
  pool = openPool(folder, true);
});

const CLOCK = { mode: "frozen", rate: 1 };
const FRAME = { frame: { seed: 1, turn: 1, now: 0, clock: CLOCK, ordinals: {} } };
const OBJECT = {
  bucket: "traces",
  key: "a.txt",
  file: "traces/a.txt",
  stage: "1-1",
  size: 2,
  etag: "e",
  checksums: {},
  checksum_type: "FULL_OBJECT",
  content_type: "text/plain",
  headers: {},
  metadata: {},
  last_modified: 0,
};

const manifestEntry = (changes = {}) =>
  textEntry("manifest.json", JSON.stringify({ ...MANIFEST, world: { ...MANIFEST.world, ...changes } }));

function lines(...values: readonly unknown[]): PackedEntry {
  return textEntry("records/000001.ndjson", values.map((value) => `${JSON.stringify(value)}\n`).join(""));
}

const objectLine = (changes = {}) => ({ collection: "objects", record: { ...OBJECT, ...changes } });

/** Imports a file with a valid checksum and these entries. */
function imported(...entries: readonly PackedEntry[]) {
  const chunks = packEntries(entries, new Date(0));
  return importArchive(chunks, {
    collections: COLLECTIONS,
    secrets: createSecrets(),
    maxBytes: 1_000_000,
    pool,
    prepare: () => OWNER,
  });
}

const OWNER = 5;
const DAMAGED = { code: "damaged_snapshot" };

describe("a file with a valid checksum", () => {
  it("becomes a world", async () => {
    const { state, rows, manifest } = await imported(
      manifestEntry({ traces_mark: 70 }),
      lines(FRAME, objectLine()),
      textEntry("objects/0", "hi"),
    );
    expect(state).toMatchObject({ turn: 1, records: { objects: [{ key: "traces/a.txt" }] } });
    expect(rows).toEqual({ next: 70, segments: [] });
    const files = [...filesOf(pool, manifest)];
    expect(files.sort()).toEqual(["5/bodies/0/1", "5/state-000001.json"]);
    expect(readFileSync(join(folder, "pool/5/bodies/0/1"), "utf8")).toBe("hi");
  });

  it.each([
    ["a bucket that is a path", { bucket: ".." }],
    ["an invalid key", { key: "" }],
    ["a negative size", { size: -1 }],
    ["a size that differs from its body", { size: 3 }],
  ])("is refused with %s", async (_, changes) => {
    const entries = [manifestEntry(), lines(FRAME, objectLine(changes)), textEntry("objects/0", "hi")];
    await expect(imported(...entries)).rejects.toMatchObject(DAMAGED);
    expect(readdirSync(folder)).toEqual(["pool"]);
    expect(readdirSync(join(folder, "pool"))).toEqual([String(OWNER)]);
  });

  it("does not decide where the body of an uploaded part is stored, which follows the bodies of objects", async () => {
    const part = {
      upload_id: "u",
      part_number: 1,
      file: "../../evil",
      size: 2,
      etag: "e",
      checksums: {},
      last_modified: 0,
    };
    const { state, manifest } = await imported(
      manifestEntry(),
      lines(FRAME, objectLine(), { collection: "s3_parts", record: part }),
      textEntry("objects/0", "hi"),
      textEntry("objects/1", "yo"),
    );
    expect(state.records.s3_parts).toMatchObject([
      { record: { file: `${OWNER}/bodies/0/2`, part_number: 1 } },
    ]);
    expect([...filesOf(pool, manifest)]).toContain(`${OWNER}/bodies/0/2`);
    expect(readFileSync(join(folder, `pool/${OWNER}/bodies/0/2`), "utf8")).toBe("yo");
    expect(readdirSync(folder)).toEqual(["pool"]);
  });

  it("does not decide where a body is stored", async () => {
    const entries = [
      manifestEntry(),
      lines(FRAME, objectLine({ file: "../../evil" })),
      textEntry("objects/0", "hi"),
    ];
    const { state } = await imported(...entries);
    expect(state.records.objects).toMatchObject([{ record: { file: `${OWNER}/bodies/0/1` } }]);
    expect(readdirSync(folder)).toEqual(["pool"]);
  });

  it.each<[string, readonly PackedEntry[]]>([
    ["no manifest", [lines(FRAME)]],
    ["no records", [manifestEntry()]],
    ["a world without a first turn", [manifestEntry(), lines({ frame: { ...FRAME.frame, turn: 0 } })]],
    ["an object without its body", [manifestEntry(), lines(FRAME, objectLine())]],
    ["a body without its object", [manifestEntry(), lines(FRAME), textEntry("objects/0", "hi")]],
    [
      "records after bodies",
      [manifestEntry(), lines(FRAME, objectLine()), textEntry("objects/0", "hi"), lines(FRAME)],
    ],
    [
      "records of an unknown collection",
      [manifestEntry(), lines(FRAME, { collection: "quarks", record: {} })],
    ],
    ["a line that is not a record", [manifestEntry(), textEntry("records/1", "hello\n")]],
    ["rows outside the folder", [manifestEntry(), lines(FRAME), textEntry("traces/../../evil.ndjson", "x")]],
    ["an unexpected entry", [manifestEntry(), lines(FRAME), textEntry("evil.sh", "x")]],
    [
      "a secret that belongs to no field",
      [
        manifestEntry(),
        lines(FRAME, {
          collection: "destinations",
          record: { id: "d" },
          secrets: [["credentials", "__proto__", "polluted"], ["credentials"]],
        }),
      ],
    ],
  ])("is refused with %s", async (_, entries) => {
    await expect(imported(...entries)).rejects.toMatchObject(DAMAGED);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

test("a capsule is imported without its recording; one without a world is refused", async () => {
  const { state } = await imported(manifestEntry(), lines(FRAME), textEntry("recording/capsule.json", "{}"));
  expect(state.turn).toBe(1);
  const empty = textEntry("manifest.json", JSON.stringify({ ...MANIFEST, world: null }));
  await expect(imported(empty, textEntry("recording/capsule.json", "{}"))).rejects.toMatchObject({
    code: "no_world",
    hint: expect.stringContaining("emulator replay"),
  });
});

test("a file of an earlier format is refused with the version that reads it", async () => {
  const file = fileURLToPath(new URL("./format-1.tar.gz", import.meta.url));
  await expect(startEmulator({ clock: "frozen", import: file })).rejects.toMatchObject({
    code: "older_snapshot",
    hint: expect.stringContaining("which wrote the file"),
  });
});
