import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runContract } from "../mutations/mutated-run.ts";
import { type Mutation, mutated, ROOT } from "../mutations/mutation.ts";
import { type BlindMutation, sampleOf } from "./sample.ts";

export interface BlindOptions {
  readonly count: number;
  /** Leaves out the first ones, to continue a run. */
  readonly from: number;
  readonly seed: number;
  /** Also runs tests against what `contract run` does not notice. */
  readonly tests: boolean;
}

type Result = "FAIL" | "difference" | "tests" | "survived";

/** Prints what notices each mutation of a sample, and the totals; returns the exit code. */
export async function runBlind({ count, from, seed, tests }: BlindOptions): Promise<number> {
  const sample = sampleOf(seed, count).slice(from);
  const baseline = await runContract([]);
  if (baseline.code !== 0)
    throw new Error(`contract run fails without a mutation:\n${baseline.failed.join("\n")}`);
  const copy = tests ? copyOfProject() : undefined;
  if (copy !== undefined && !(await testsPass(copy)))
    throw new Error(`the tests fail without a mutation, in ${copy}`);
  const totals: Record<Result, number> = { FAIL: 0, difference: 0, tests: 0, survived: 0 };
  try {
    for (const mutation of sample) {
      const [result, detail] = await resultOf(mutation, copy);
      totals[result] += 1;
      print(`${result}\t${mutation.operator}\t${mutation.title}\t${detail}`);
    }
  } finally {
    if (copy !== undefined) rmSync(copy, { recursive: true, force: true });
  }
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: ROOT,
    encoding: "utf8",
  }).trim();
  print(`seed ${seed}, commit ${commit}: ${JSON.stringify(totals)} of ${sample.length}`);
  return 0;
}

async function resultOf(
  mutation: BlindMutation,
  copy: string | undefined,
): Promise<readonly [Result, string]> {
  const { code, failed, differences, stderr } = await runContract([], mutation);
  const [first = stderr.split("\n")[0] ?? ""] = failed;
  if (code !== 0) return ["FAIL", first];
  if (differences.length > 0) return ["difference", differences[0] ?? ""];
  const isNoticed = copy !== undefined && (await testsNotice(copy, mutation));
  return [isNoticed ? "tests" : "survived", ""];
}

/** Other processes use the sources of the project, so a copy is changed. Its packages are those of the project. */
function copyOfProject(): string {
  const copy = mkdtempSync(join(ROOT, "dist", ".blind-"));
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" }).split("\0");
  for (const file of files) if (file !== "") cpSync(join(ROOT, file), join(copy, file));
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** The tests of rules and of requests; others need a build or take minutes. */
const FOLDERS = ["test/subjects", "test/operations"];

function testsPass(copy: string): Promise<boolean> {
  const words = [
    "vitest",
    "run",
    "--config",
    "test/vitest.config.ts",
    "--root",
    ".",
    "--bail",
    "1",
    ...FOLDERS,
  ];
  return new Promise((resolve) => {
    execFile("npx", words, { cwd: copy, maxBuffer: 2 ** 28 }, (error) => resolve(error === null));
  });
}

async function testsNotice(copy: string, mutation: Mutation): Promise<boolean> {
  const file = join(copy, mutation.file);
  writeFileSync(file, mutated(mutation));
  const isNoticed = !(await testsPass(copy));
  cpSync(join(ROOT, mutation.file), file);
  return isNoticed;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
