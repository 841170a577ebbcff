import { statSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import type { ReadyLine } from "../../../emulator/config/configuration.ts";
import {
  isAlive,
  locatorPath,
  readLocator,
  removeLocator,
  writeLocator,
} from "../../../emulator/runtime/process/locator.ts";
import { workingFolder } from "../../support/emulator-process.ts";

const READY: ReadyLine = {
  ready: true,
  url: "http://127.0.0.1:4700",
  eu_url: "http://127.0.0.1:4701",
  s3_url: "http://127.0.0.1:4702",
  pid: process.pid,
  version: "0.0.0",
  seed: 1,
  now: "2026-01-01T00:00:00.000000Z",
};

let folder: string;

beforeEach(() => {
  folder = workingFolder();
});

describe("the locator file", () => {
  it("holds the ready line, for its owner's eyes only", () => {
    expect(writeLocator(folder, READY)).toBe(true);
    expect(readLocator(folder)).toMatchObject(READY);
    expect(statSync(locatorPath(folder)).mode & 0o777).toBe(0o600);
  });

  it("of another running emulator is kept, and only its owner removes it", () => {
    writeLocator(folder, { ...READY, pid: process.ppid });
    expect(writeLocator(folder, READY)).toBe(false);
    removeLocator(folder, process.pid);
    expect(readLocator(folder)?.pid).toBe(process.ppid);
    removeLocator(folder, process.ppid);
    expect(readLocator(folder)).toBeUndefined();
  });

  it("of a dead one is replaced", () => {
    const dead = { ...READY, pid: 2 ** 30 };
    writeLocator(folder, dead);
    expect(isAlive(readLocator(folder) ?? { pid: process.pid, hostname: "" })).toBe(false);
    expect(writeLocator(folder, READY)).toBe(true);
  });

  it.each(["", "{", "null", "[]", '{"pid":"1"}', '{"pid":1}'])(
    "that is none is as good as absent: %s",
    (text) => {
      writeFileSync(locatorPath(folder), text);
      expect(readLocator(folder)).toBeUndefined();
    },
  );
});
