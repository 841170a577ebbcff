import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startRig } from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";

it("only the owner may look into a data folder that the emulator has made", async () => {
  const parent = workingFolder();
  const data = join(parent, "data");
  const rig = await startRig({ data, ephemeral: false });
  try {
    await rig.call("POST", "/threads", {});
    await rig.call("POST", "/runs", {
      name: "a",
      run_type: "chain",
      session_name: "p",
      start_time: "2026-03-01T00:00:00Z",
    });
    await rig.emulator.control("POST", "/snapshots", { name: "kept" });
  } finally {
    await rig.close();
  }
  const paths = readdirSync(data, { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  );
  const open = [data, ...paths].filter((path) => (statSync(path).mode & 0o077) !== 0);
  expect(paths.length).toBeGreaterThan(5);
  expect(open).toEqual([]);
});
