import { existsSync, renameSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { writeAdvice } from "../../emulator/runtime/process/file-advice.ts";
import { readScenario } from "../../scenarios/document.ts";
import { SAMENESSES, shrink } from "../../scenarios/shrink/shrink.ts";
import { CommandFailure, type Invocation, UsageError } from "../command.ts";
import { openProgress } from "../progress.ts";
import { untilSignal } from "../signals.ts";
import { print } from "../terminal.ts";
import { countOf, textOf, wordOf } from "../values.ts";
import { openInProcess } from "./in-process.ts";

const USUAL_RUNS = 3_000;

/** `replay --shrink`: writes the smallest scenario that fails in the same way. */
export async function shrinkScenario(invocation: Invocation): Promise<number> {
  const { cwd, flags } = invocation;
  const file = resolve(cwd, String(flags.shrink));
  const name = textOf(invocation, "output");
  if (name === undefined)
    throw new UsageError(
      "--output is missing; give the file to write with --shrink, such as small.scenario.yaml",
    );
  const same = wordOf(invocation, "same", SAMENESSES) ?? "path";
  const output = resolve(cwd, name);
  if (existsSync(output) && flags.update !== true)
    throw new UsageError(`--output: ${name} exists; overwrite it with --update`);
  const maxRuns = countOf(invocation, "max-runs") ?? USUAL_RUNS;
  const scenario = readScenario(file);
  const environments = openInProcess();
  const progress = openProgress(invocation, "runs");
  try {
    const onProgress = (runs: number, steps: number) => progress.show(`${steps} steps left`, runs, maxRuns);
    const shrinking = shrink(scenario, output, { environments, maxRuns, same, onProgress });
    const small = await untilSignal(shrinking, () => `${progress.account()}; nothing was written`);
    progress.clear();
    write(output, small.text);
    if (flags.quiet !== true) {
      print(`${name}: ${small.steps} of ${small.stepsBefore} steps, found in ${small.runs} runs`);
      print(`it fails in the same way: ${small.difference}`);
      if (!small.isSmallest) print(`--max-runs ${maxRuns} ended it; it may get smaller`);
      print(`npx emulator replay ${name}`);
    }
    return 0;
  } finally {
    progress.clear();
    await environments.close();
  }
}

/** Whole or not at all. */
function write(file: string, text: string): void {
  try {
    writeFileSync(`${file}.${process.pid}`, text);
    renameSync(`${file}.${process.pid}`, file);
  } catch (error) {
    throw new CommandFailure(`${file} cannot be written: ${writeAdvice(error)}`);
  }
}
