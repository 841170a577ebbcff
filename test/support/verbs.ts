import { expect, onTestFinished } from "vitest";
import type { JournalEntry } from "../../emulator/kernel/journal.ts";
import { type Emulator, startEmulator } from "../../emulator/runtime/index.ts";
import { run } from "./command-line.ts";
import { type Outcome, workingFolder } from "./emulator-process.ts";

/** An emulator of this process on a frozen clock, and commands that find it by its address. */
export interface Verbs {
  readonly emulator: Emulator;
  readonly url: string;
  readonly cwd: string;
  /** The environment of its commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command. */
  run(...words: string[]): Promise<Outcome>;
  /** Runs a command that must succeed; gives its lines. */
  lines(...words: string[]): Promise<readonly string[]>;
  /** Runs a command that must succeed with `--json`; gives its value. */
  json<T = unknown>(...words: string[]): Promise<T>;
  journal(): Promise<readonly JournalEntry[]>;
}

export const NOW = "2026-03-01T00:00:00Z";

export async function openVerbs(): Promise<Verbs> {
  const cwd = workingFolder();
  const emulator = await startEmulator({ clock: "frozen", now: NOW, rateLimits: "on" });
  onTestFinished(() => emulator.close({ unusedFaults: "ignore" }));
  const env = { EMULATOR_URL: emulator.url };
  const succeed = async (words: readonly string[]) => {
    const outcome = await run(words, { cwd, env });
    const isEmpty = outcome.stdout === "" || outcome.stdout === "[]\n";
    const stderr = isEmpty ? expect.stringMatching(/^(The list is empty\.\n)?$/) : "";
    expect(outcome, words.join(" ")).toMatchObject({ code: 0, stderr });
    return outcome.stdout;
  };
  return {
    emulator,
    url: emulator.url,
    cwd,
    env,
    run: (...words) => run(words, { cwd, env }),
    lines: async (...words) => (await succeed(words)).trimEnd().split("\n"),
    json: async (...words) => JSON.parse(await succeed([...words, "--json"])),
    journal: () => emulator.control("GET", "/journal"),
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
