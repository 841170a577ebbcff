import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Outcome, workingFolder } from "../support/emulator-process.ts";
import corpus from "./mistakes.json" with { type: "json" };

/** The words of a command, and a part of its message; the exit code is 2 unless a row says otherwise. */
export type Mistake = readonly [words: string, text: string, exitCode?: number];

/**
 * `words` and `settings` are refused before an emulator is looked for, `unreachable` finds none, `refused` needs a running one,
 * and `denied` needs files that the user may not read or write. The check of the package runs some of each on an old Node.
 */
export const MISTAKES = corpus as unknown as Readonly<
  Record<"words" | "settings" | "harness" | "unreachable" | "refused" | "denied", readonly Mistake[]>
>;

interface ErrorObject {
  readonly error: Readonly<Record<"code" | "message" | "hint", string>>;
}

/** Runs a command as text and with --json: one failure, once as lines on standard error and once as an object on standard output. */
export async function expectMistake(mistake: Mistake, runWords: RunWords): Promise<void> {
  await expectText(mistake, runWords);
  await expectData(mistake, runWords);
}

type RunWords = (words: readonly string[]) => Promise<Outcome>;

export async function expectText([words, text, exitCode = 2]: Mistake, runWords: RunWords): Promise<void> {
  const outcome = await runWords(words.split(" "));
  expect(outcome).toEqual({ code: exitCode, stdout: "", stderr: expect.stringContaining(text) });
  expect(outcome.stderr).toMatch(/^(emulator: .+\n)+$/);
}

export async function expectData([words, text, exitCode = 2]: Mistake, runWords: RunWords): Promise<void> {
  const all = words.split(" ");
  const end = all.indexOf("--");
  const asJson = await runWords(end === -1 ? [...all, "--json"] : all.toSpliced(end, 0, "--json"));
  expect(asJson).toEqual({ code: exitCode, stdout: expect.stringMatching(/^\{.*\}\n$/), stderr: "" });
  const { error } = JSON.parse(asJson.stdout) as ErrorObject;
  const filled = expect.stringMatching(/^\S[\s\S]*\S$/);
  expect(error).toEqual({ code: expect.stringMatching(/^[a-z0-9_]+$/), message: filled, hint: filled });
  const whole = ["; ", ": ", " "].map((mark) => error.message + mark + error.hint).join("\n");
  expect(whole).toContain(text);
}

/** A folder with files that commands refuse. */
export function folderOfMistakes(): string {
  const cwd = workingFolder();
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  for (const name of ["folder", "empty"]) mkdirSync(join(cwd, name));
  write("folder/own.txt", "");
  write("not-json", "not JSON");
  write("empty.json", "{}");
  write("broken.capsule", "nothing");
  write("unknown-key.yaml", "sever: { port: 1 }\n");
  write("broken.yaml", "a: [\n");
  write("broken.scenario.yaml", "scenario: [\n");
  write("verb.scenario.yaml", "scenario: S.\nthen:\n  - requst: GET /ok\n");
  write("place.scenario.yaml", "scenario: S.\nthen:\n  - request: /ok\n");
  write("fault.scenario.yaml", "scenario: S.\nthen:\n  - fault: worker_crash\n");
  write("include.scenario.yaml", "scenario: S.\nthen:\n  - include: absent.yaml\n");
  write("good.scenario.yaml", "scenario: S.\nthen:\n  - { request: GET /ok, expect: { status: 200 } }\n");
  return cwd;
}
