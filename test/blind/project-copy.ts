import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../mutations/mutation.ts";
import type { BlindMutation } from "./sample.ts";

/** Other processes use the sources of the project, so a copy of them is changed. */
export interface ProjectCopy {
  readonly folder: string;
  remove(): void;
}

/** Its packages are those of the project. */
export function copyOfProject(): ProjectCopy {
  const folder = mkdtempSync(join(ROOT, "dist", ".blind-"));
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" }).split("\0");
  for (const file of files) if (file !== "") cpSync(join(ROOT, file), join(folder, file));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The first test that fails with a mutation; undefined if all pass that have to do with its subject. */
export async function testsOf({ folder }: ProjectCopy, mutation: BlindMutation): Promise<string | undefined> {
  const file = join(folder, mutation.file);
  const source = readFileSync(join(ROOT, mutation.file), "utf8");
  writeFileSync(file, source.slice(0, mutation.start) + mutation.text + source.slice(mutation.end));
  try {
    return await failedTest(folder, testFiles(mutation.file));
  } finally {
    writeFileSync(file, source);
  }
}

/** Tests of requests and of stories through several subjects; others need a build or take minutes. */
const GENERAL = ["test/operations", "test/story/export", "test/story/retries", "test/story/schedules"];

function testFiles(file: string): readonly string[] {
  const [, , subject = ""] = file.split("/");
  const own = `test/subjects/${subject}`;
  return [...(existsSync(join(ROOT, own)) ? [own] : []), ...GENERAL];
}

function failedTest(folder: string, files: readonly string[]): Promise<string | undefined> {
  const words = [
    "vitest",
    "run",
    "--config",
    "test/vitest.config.ts",
    "--root",
    ".",
    "--bail",
    "1",
    ...files,
  ];
  return new Promise((resolve) => {
    execFile(
      "npx",
      [...words, "--reporter=default"],
      { cwd: folder, maxBuffer: 2 ** 28 },
      (error, stdout, stderr) => {
        const line = `${stdout}\n${stderr}`.split("\n").find((each) => /^\s*(FAIL|×)\s/.test(each));
        resolve(error === null ? undefined : (line ?? "the tests ended").trim());
      },
    );
  });
}
