import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory, on Linux. What tests write is small, and making a file on a disk takes a hundred times as long. */
const IN_MEMORY = "/dev/shm";

/** More than a run of all tests holds at once. */
const ROOM_BYTES = 2 * 2 ** 30;

/** Whether there is room in a folder, and programs may run from it: containers give little of both. */
function isOfUse(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < ROOM_BYTES) return false;
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  return spawnSync(program).status === 0;
}

function folderIn(parent: string): string {
  return mkdtempSync(join(parent, "emulator-tests-"));
}

function folderOfRun(): string {
  if (process.env.TMPDIR) return folderIn(process.env.TMPDIR);
  try {
    const folder = folderIn(IN_MEMORY);
    if (isOfUse(folder)) return folder;
    rmSync(folder, { recursive: true });
  } catch {
    // The system has no such folder.
  }
  return folderIn(tmpdir());
}

/** Once for a run: its temporary files are in one folder, which is removed at the end. */
export function setup(): () => void {
  const before = process.env.TMPDIR;
  const folder = folderOfRun();
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true });
  };
}
