import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** What was found in a data folder, and what has become of it. */
export interface RepairReport {
  /** What is damaged, one line each. */
  readonly problems: readonly string[];
  /** What was made anew; nothing of it is lost. */
  readonly rebuilt: readonly string[];
  /** What is there no more. */
  readonly lost: readonly string[];
  /** Where the files lie that were put aside; undefined when there are none. */
  readonly aside: string | undefined;
}

/** Collects a report while a data folder is examined, and moves files out of the way. */
export interface Findings {
  problem(error: unknown): void;
  rebuilt(what: string): void;
  lost(what: string): void;
  /** Moves a file or folder of the data folder, if it is there, to the same place below the folder of what was put aside. */
  putAside(path: string): void;
  report(): RepairReport;
}

/** With `mayChange` unset, nothing is moved. */
export function createFindings(root: string, mayChange: boolean): Findings {
  const problems = new Set<string>();
  const rebuilt = new Set<string>();
  const lost = new Set<string>();
  let aside: string | undefined;

  function freeFolder(): string {
    for (let number = 1; ; number += 1) {
      const folder = join(root, `damaged-${number}`);
      if (!existsSync(folder)) return folder;
    }
  }

  return {
    problem: (error) => void problems.add((error as Error).message),
    rebuilt: (what) => void rebuilt.add(what),
    lost: (what) => void lost.add(what),
    putAside(path) {
      if (!mayChange || !existsSync(path)) return;
      aside ??= freeFolder();
      const target = join(aside, relative(root, path));
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      renameSync(path, target);
    },
    report: () => ({ problems: [...problems], rebuilt: [...rebuilt], lost: [...lost], aside }),
  };
}
