import { expect } from "vitest";
import type { JournalEntry } from "../../emulator/kernel/journal.ts";
import { type Outcome, run, start, workingFolder } from "./emulator-process.ts";

/** An emulator on a frozen clock, and the commands that find it by its data folder. */
export interface Verbs {
  readonly url: string;
  readonly cwd: string;
  /** Runs a command. */
  run(...words: string[]): Promise<Outcome>;
  /** Runs a command that must succeed; gives its lines. */
  lines(...words: string[]): Promise<readonly string[]>;
  /** Runs a command that must succeed with `--json`; gives its value. */
  json<T = unknown>(...words: string[]): Promise<T>;
  journal(): Promise<readonly JournalEntry[]>;
}

export const NOW = "2026-03-01T00:00:00Z";

export async function openVerbs(...flags: string[]): Promise<Verbs> {
  const cwd = workingFolder();
  const { ready } = await start(["--ephemeral", "--clock", "frozen", "--now", NOW, ...flags], { cwd });
  const succeed = async (words: readonly string[]) => {
    const outcome = await run(words, { cwd });
    expect(outcome, words.join(" ")).toMatchObject({ code: 0, stderr: "" });
    return outcome.stdout;
  };
  return {
    url: ready.url,
    cwd,
    run: (...words) => run(words, { cwd }),
    lines: async (...words) => (await succeed(words)).trimEnd().split("\n"),
    json: async (...words) => JSON.parse(await succeed([...words, "--json"])),
    async journal() {
      const text = await (await fetch(`${ready.url}/_emulator/v1/journal`)).text();
      return text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    },
  };
}

/** Each of these commands is refused in one line with exit code 2, and leaves the world unchanged. */
export async function expectRefusals(
  verbs: Verbs,
  table: readonly (readonly [words: string, line: string])[],
): Promise<void> {
  const before = await changes(verbs);
  for (const [words, line] of table) {
    const outcome = await verbs.run(...words.split(" "));
    expect(outcome, words).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(line) });
    expect(outcome.stderr.trimEnd().split("\n"), words).toHaveLength(1);
  }
  expect(await changes(verbs)).toEqual(before);
}

/** The turns that changed the world. */
async function changes({ journal }: Verbs): Promise<readonly JournalEntry[]> {
  return (await journal()).filter(
    ({ put, removed, scheduled, effects }) => put || removed || scheduled || effects,
  );
}
