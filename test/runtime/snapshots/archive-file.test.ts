import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { writeArchiveFile } from "../../../emulator/runtime/snapshots/archive-file.ts";
import { workingFolder } from "../../support/emulator-process.ts";

let folder: string;

beforeEach(() => {
  folder = workingFolder();
});

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("whole");
}

function leave(name: string): string {
  writeFileSync(join(folder, name), "half");
  return name;
}

test("an export removes only temporary files of killed exports to the same name", async () => {
  const { pid: dead } = spawnSync(process.execPath, ["-e", ""]);
  const living = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log(1)"]);
  await once(living.stdout, "data");
  try {
    leave(`.kept.tar.gz.${hostname()}.${dead}.new`);
    const others = [
      leave(`.kept.tar.gz.${hostname()}.${living.pid}.new`),
      leave(`.kept.tar.gz.${hostname()}-elsewhere.${dead}.new`),
      leave(`.kept.tar.${hostname()}.${dead}.new`),
      leave(`.kept.tar.gz.${dead}.newer`),
      leave(".kept.tar.gz.mine.new"),
    ];
    await writeArchiveFile(join(folder, "kept.tar.gz"), pieces(), false);
    expect(readdirSync(folder).sort()).toEqual([...others, "kept.tar.gz"].sort());
    expect(readFileSync(join(folder, "kept.tar.gz"), "utf8")).toBe("whole");
  } finally {
    living.kill();
  }
});

test("an incomplete file names its writer", async () => {
  const events: string[] = [];
  async function* watched(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("half");
    events.push(...readdirSync(folder));
  }
  await writeArchiveFile(join(folder, "kept.tar.gz"), watched(), false);
  expect(events).toEqual([`.kept.tar.gz.${hostname()}.${process.pid}.new`]);
});
