// own process: replaces a module of Node.
import type * as realFs from "node:fs";
import { mkdirSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { createSharedFiles } from "../../../emulator/storage/objects/shared-files.ts";
import { openPool } from "../../../emulator/storage/pool/pool.ts";
import { temporaryFolder } from "../rows/sample-row.ts";

/** How many bytes the disk still takes. */
const disk = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof realFs>();
  const writeSync = (file: number, bytes: Uint8Array, start: number, length: number, at: number | null) => {
    if (disk.room === 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const written = fs.writeSync(file, bytes, start, Math.min(length, disk.room), at);
    disk.room -= written;
    return written;
  };
  return { ...fs, writeSync, default: { ...fs, writeSync } };
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
