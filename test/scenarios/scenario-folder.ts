import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { openInProcess } from "../../bin/replay/in-process.ts";
import type { Environments } from "../../scenarios/environment.ts";

/** A new folder for each test, removed afterwards, and emulators of this process for the scenarios in it. */
export function useScenarioFolder() {
  let folder: string;
  let environments: Environments;

  beforeEach(() => {
    environments = openInProcess();
    folder = mkdtempSync(join(tmpdir(), "scenarios-"));
  });

  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await environments.close();
  });

  return {
    get folder() {
      return folder;
    },
    get environments() {
      return environments;
    },
    /** Writes a scenario that begins at the first of March; gives its path. */
    write(name: string, ...lines: readonly string[]): string {
      const file = join(folder, `${name}.scenario.yaml`);
      writeFileSync(file, `${["scenario: A sentence.", "now: 2026-03-01T00:00:00Z", ...lines].join("\n")}\n`);
      return file;
    },
  };
}
