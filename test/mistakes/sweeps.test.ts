import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import type { Environments } from "../../scenarios/environment.ts";
import { explore } from "../../scenarios/exploration.ts";
import { sweep } from "../../scenarios/sweeps/sweep.ts";
import { subjectOf } from "../support/subjects.ts";
import { type Edit, edited, load } from "./source.ts";

/** It expects only a status: the sweep finds what is wrong with the files. */
const NIGHTLY = fileURLToPath(new URL("../full/scenarios/sweeps/nightly.scenario.yaml", import.meta.url));

const RETRY = "    attempt: run.attempt + 1,\n";
const AT_END = "window 2026-02-26T00:00Z/2026-02-27T06:00Z: a row at 2026-02-27T06:00:00.000Z";

const edit = (file: string, from: string, to: string): Edit => ({ file: `emulator/${file}`, from, to });

let environments: Environments | undefined;

afterEach(() => environments?.close());

it.each([
  [
    "crash",
    "crash at file.written #3",
    edit("subjects/bulk-exports/run.ts", RETRY, `${RETRY}latest_cursor: run.files.at(-2)?.cursor ?? null,\n`),
  ],
  [
    "cancel",
    "cancel at 2026-03-01T00:00:02.000Z",
    edit(
      "subjects/bulk-exports/export.ts",
      "of openRuns) moveRun(",
      'of openRuns) if (end !== "cancel") moveRun(',
    ),
  ],
  [
    "store",
    "PutObject AccessDenied #2",
    edit(
      "subjects/bulk-exports/failure.ts",
      'denied: "storage_error"',
      'denied: "infrastructure_interruption"',
    ),
  ],
  ["edges", AT_END, edit("storage/rows/plan.ts", "start >= until) continue;", "start > until) continue;")],
  ["edges", AT_END, edit("subjects/bulk-exports/partitions.ts", "    from = to;", "    from = to + 1;")],
] as const)("a sweep finds a mistake: %s, %s", async (name, only, change) => {
  const { openInProcess } = await load<{ openInProcess(): Environments }>(
    "bin/replay/in-process.ts",
    (file) => (file === change.file ? edited(change) : undefined),
  );
  environments = openInProcess();
  const subject = subjectOf(NIGHTLY, environments);
  const { results, refused } = await explore([subject], sweep([name]), { jobs: 1, maxRuns: 1000, only });
  expect([...results.filter(({ verdict }) => verdict !== "held"), ...refused]).not.toEqual([]);
});
