import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ENTRY, readManifest } from "../../../emulator/storage/archive/manifest.ts";
import { type PackedEntry, packEntries, textEntry } from "../../../emulator/storage/archive/pack.ts";
import { addTraceFile } from "../../../emulator/storage/archive/trace-entries.ts";
import { unpackEntries } from "../../../emulator/storage/archive/unpack.ts";
import type { NamedSegment } from "../../../emulator/storage/pool/names.ts";
import { MANIFEST } from "./manifest.ts";

const MODIFIED = new Date("2026-03-01T00:00:00Z");
const MAX_BYTES = 100_000_000;
const BLOCK = 512;

async function packed(entries: Iterable<PackedEntry>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of packEntries(entries, MODIFIED)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** In chunks, as a socket delivers them. */
async function* send(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

async function unpacked(
  bytes: Buffer,
  { maxBytes = MAX_BYTES }: { maxBytes?: number } = {},
): Promise<[string, Buffer][]> {
  const entries: [string, Buffer][] = [];
  for await (const { name, content } of unpackEntries(send(bytes), maxBytes)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content()) chunks.push(chunk);
    entries.push([name, Buffer.concat(chunks)]);
  }
  return entries;
}

/** Entries of several lengths: empty, less than a block, exactly one block, more than one chunk. */
const CONTENTS: readonly [string, Buffer][] = [0, 1, 511, 512, 513, 100_000].map((size, number) => [
  `objects/${number}`,
  Buffer.alloc(size, `content ${number} `),
]);

const ENTRIES = CONTENTS.map(([name, bytes]): PackedEntry => {
  return { name, size: bytes.length, content: () => [bytes.subarray(0, 50_000), bytes.subarray(50_000)] };
});

const DAMAGED = { code: "damaged_snapshot" };

describe("an archive", () => {
  it("returns the entries that were written, and has the same bytes each time", async () => {
    const bytes = await packed(ENTRIES);
    expect(await unpacked(bytes)).toEqual(CONTENTS);
    expect((await packed(ENTRIES)).equals(bytes)).toBe(true);
  });

  it("is refused when it is truncated at any boundary", async () => {
    const tar = gunzipSync(await packed(ENTRIES));
    const ends = tar.length - 2 * BLOCK;
    const cuts = Array.from({ length: ends / BLOCK }, (_, number) => number * BLOCK);
    const some = cuts.filter(
      (cut, number) => cut < 12 * BLOCK || cut > ends - 4 * BLOCK || number % 20 === 0,
    );
    expect(some.length).toBeGreaterThan(20);
    for (const cut of some) {
      const torn = gzipSync(tar.subarray(0, cut));
      await expect(unpacked(torn), `tar cut at ${cut}`).rejects.toMatchObject(DAMAGED);
    }
    const whole = await packed(ENTRIES);
    for (let cut = 0; cut < whole.length; cut += Math.ceil(whole.length / 25))
      await expect(unpacked(whole.subarray(0, cut)), `cut at ${cut}`).rejects.toMatchObject(DAMAGED);
    await expect(unpacked(whole.subarray(0, -1))).rejects.toMatchObject(DAMAGED);
  });

  it("is refused when a byte of a content, a name or a size is another one", async () => {
    const tar = gunzipSync(await packed(ENTRIES));
    const places = [0, 10, 124, 148, BLOCK, 3 * BLOCK + 5, 20_000, tar.indexOf('"sha256":"') + 12];
    for (const at of places) {
      const changed = Buffer.from(tar);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      await expect(unpacked(gzipSync(changed)), `byte ${at}`).rejects.toMatchObject(DAMAGED);
    }
  });

  it("is refused with anything behind its end", async () => {
    const bytes = await packed(ENTRIES);
    const another = await packed(ENTRIES);
    for (const more of [
      Buffer.alloc(1000),
      Buffer.from("more"),
      another,
      gzipSync(gunzipSync(another).subarray(0, -2 * BLOCK)),
    ])
      await expect(unpacked(Buffer.concat([bytes, more]))).rejects.toMatchObject(DAMAGED);
  });

  it("that is not an archive is refused", async () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from("hello"),
      gzipSync("hello"),
      gzipSync(Buffer.alloc(1024)),
    ])
      await expect(unpacked(bytes)).rejects.toMatchObject(DAMAGED);
  });

  it("is refused when it is too large or has a header that would fill the memory", async () => {
    const bytes = await packed(ENTRIES);
    await expect(unpacked(bytes, { maxBytes: 90_000 })).rejects.toMatchObject({ code: "snapshot_too_large" });
    const header = Buffer.alloc(BLOCK);
    header.write("long");
    header.write(["0000600", "0000000", "0000000", "77777777777", "00000000000", ""].join("\0"), 100);
    header.write("        x", 148);
    header.write("ustar\x0000", 257);
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    const bomb = gzipSync(Buffer.concat([header, Buffer.alloc(4_000_000)]));
    await expect(unpacked(bomb)).rejects.toThrow("one of its headers is too long");
  });

  it("closes its sources when the reader stops", async () => {
    let isClosed = false;
    const content = async function* () {
      try {
        for (;;) yield Buffer.from(Array.from({ length: 60_000 }, (_, at) => (at * 7919) % 251));
      } finally {
        isClosed = true;
      }
    };
    const reader = packEntries([{ name: "endless", size: 1e12, content }], MODIFIED);
    await reader.next();
    await reader.return(undefined);
    expect(isClosed).toBe(true);
  });
});

describe("a manifest", () => {
  it("of a newer format is refused with the version that reads it", () => {
    expect(readManifest(JSON.stringify(MANIFEST))).toEqual(MANIFEST);
    const newer = JSON.stringify({ format: 6, written_by: "3.4.5" });
    expect(() => readManifest(newer)).toThrow(/has format 6\. This emulator \(.+\) reads format 5\./);
    expect(() => readManifest(newer)).toThrow(
      expect.objectContaining({
        code: "newer_snapshot",
        hint: expect.stringContaining("3.4.5, which wrote the file, or a newer version"),
      }),
    );
  });

  it("of an older format is refused with the version that wrote it", () => {
    const older = JSON.stringify({ format: 1, written_by: "0.0.9" });
    expect(() => readManifest(older)).toThrow(
      expect.objectContaining({
        code: "older_snapshot",
        hint: expect.stringContaining("0.0.9, which wrote the file"),
      }),
    );
  });

  it.each([
    "",
    "[]",
    "null",
    "{}",
    '{"format":0}',
    JSON.stringify({ ...MANIFEST, world: { ...MANIFEST.world, traces_mark: -1 } }),
  ])("that is invalid is refused: %s", (text) =>
    expect(() => readManifest(text)).toThrow(expect.objectContaining(DAMAGED)),
  );

  it("is the first entry", () => {
    expect(textEntry(ENTRY.manifest, "{}")).toMatchObject({ name: "manifest.json", size: 2 });
  });
});

describe("names of files of rows", () => {
  const TENANT = "00000000-0000-4000-8000-000000000001";
  const SESSION = "00000000-0000-4000-8000-000000000002";

  it("become paths in the folder", () => {
    const file = `5/rows/us/${TENANT}/${SESSION}/2026-03-01`;
    const segments = new Map<string, NamedSegment>();
    const name = `us/${TENANT}/${SESSION}/2026-03-01`;
    expect(addTraceFile(segments, 5, 70, { name: `${name}.ndjson`, size: 99 })).toBe(`${file}.ndjson`);
    expect(addTraceFile(segments, 5, 70, { name: `${name}.index`, size: 112 })).toBe(`${file}.index`);
    const rowFiles = [{ file, below: 70, records: 2, bytes: 99 }];
    const segment = { region: "us", tenantId: TENANT, sessionId: SESSION, day: "2026-03-01", rowFiles };
    expect([...segments.values()]).toEqual([segment]);
  });

  it.each([
    "../x",
    "/etc/passwd",
    `us/${TENANT}`,
    `us/${TENANT}/`,
    `us/${TENANT}/../pending.ndjson`,
    `us/${TENANT}/${SESSION}/../../x.index`,
    `us/${TENANT}/${SESSION}/2026-03-01.index/x`,
    `us/${TENANT}/${SESSION}/2026-03-01.exe`,
    `us/${TENANT}/${SESSION}/.index`,
    `us/..${TENANT.slice(2)}/${SESSION}/2026-03-01.index`,
    `US/${TENANT}/${SESSION}/2026-03-01.index`,
  ])("that are invalid are refused: %s", (name) =>
    expect(() => addTraceFile(new Map(), 5, 70, { name, size: 0 })).toThrow(expect.objectContaining(DAMAGED)),
  );
});
