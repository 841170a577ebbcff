import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { openInProcess } from "../../bin/replay/in-process.ts";
import type { Environments } from "../../scenarios/environment.ts";
import { workingFolder } from "../support/emulator-process.ts";

/** A new folder for each test, removed afterwards, and emulators of this process for the scenarios in it. */
export function useScenarioFolder() {
  let folder: string;
  let environments: Environments;

  beforeEach(() => {
    environments = openInProcess();
    folder = workingFolder();
  });

  afterEach(() => environments.close());

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
