import { mkdirSync, readFileSync, writeSync } from "node:fs";
import { expect, test } from "vitest";
import { createSharedFiles } from "../../../emulator/storage/objects/body-location.ts";
import { openPool } from "../../../emulator/storage/pool/pool.ts";
import { replaceFileFunctions } from "../../support/file-functions.ts";
import { temporaryFolder } from "../rows/open-store.ts";

/** How many bytes the disk still takes. */
const disk = { room: Number.POSITIVE_INFINITY };

const write = writeSync;
replaceFileFunctions({
  writeSync(file: number, bytes: Uint8Array, start: number, length: number, at: number | null) {
    if (disk.room === 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const written = write(file, bytes, start, Math.min(length, disk.room), at);
    disk.room -= written;
    return written;
  },
});

test("a body that a full disk stores in part leaves nothing in its shared file", () => {
  const pool = openPool(temporaryFolder(), true);
  const file = "1/bodies/0/1";
  mkdirSync(pool.path("1/bodies/0"), { recursive: true });
  const shared = createSharedFiles(pool, () => file);
  expect(shared.append(Buffer.from("first"))).toBe(`${file}@0+5`);
  disk.room = 3;
  expect(() => shared.append(Buffer.from("refused"))).toThrow("no space left on device");
  expect(readFileSync(pool.path(file), "utf8")).toBe("first");
  disk.room = Number.POSITIVE_INFINITY;
  expect(shared.append(Buffer.from("second"))).toBe(`${file}@5+6`);
  expect(readFileSync(pool.path(file), "utf8")).toBe("firstsecond");
});
