import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../mutations/mutation.ts";
import type { BlindMutation } from "./sample.ts";

/** Other processes use the sources of the project, so a copy of them is changed. */
export interface ProjectCopy {
  readonly folder: string;
  /** By subject, the first test that fails without a mutation; undefined if all pass. */
  readonly failing: Map<string, string | undefined>;
  remove(): void;
}

/** Its packages are those of the project. */
export function copyOfProject(): ProjectCopy {
  const folder = mkdtempSync(join(tmpdir(), "blind-"));
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" }).split("\0");
  for (const file of files) if (file !== "") cpSync(join(ROOT, file), join(folder, file));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return { folder, failing: new Map(), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** What the tests of its subject find of a mutation. */
export interface TestsOutcome {
  /** The first test that fails. */
  readonly failed: string | undefined;
  /** It fails without the mutation too, for instance because the machine is busy. */
  readonly isUsual: boolean;
}

/** Runs the tests that have to do with the subject of a mutation. */
export async function testsOf(copy: ProjectCopy, mutation: BlindMutation): Promise<TestsOutcome> {
  const [, , subject = ""] = mutation.file.split("/");
  if (!copy.failing.has(subject)) copy.failing.set(subject, await failedTest(copy.folder, subject));
  const usual = copy.failing.get(subject);
  if (usual !== undefined) return { failed: usual, isUsual: true };
  const file = join(copy.folder, mutation.file);
  const source = readFileSync(join(ROOT, mutation.file), "utf8");
  writeFileSync(file, source.slice(0, mutation.start) + mutation.text + source.slice(mutation.end));
  try {
    return { failed: await failedTest(copy.folder, subject), isUsual: false };
  } finally {
    writeFileSync(file, source);
  }
}

/** Beginnings of the paths of tests that have to do with a subject; the whole run for each change would take hours. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  agent: ["test/subjects/agent", "test/http/agent"],
  "bulk-exports": [
    "test/subjects/bulk-exports",
    ...["capacity", "export", "retries", "schedules", "timeouts"].map((name) => `test/story/${name}`),
  ],
  crons: ["test/subjects/crons", "test/http/agent"],
  destinations: ["test/subjects/destinations", "test/story/destinations", "test/story/permissions"],
  filters: ["test/subjects/filters", "test/http/queries"],
  "rate-limits": ["test/subjects/rate-limits", "test/http/rate-limits"],
  traces: ["test/subjects/traces", "test/story/trace-trees"],
  webhooks: ["test/subjects/webhooks"],
  "versions.ts": ["test/story/versions"],
};

function failedTest(folder: string, subject: string): Promise<string | undefined> {
  const files = TESTS[subject];
  if (!files) throw new Error(`No tests are listed for ${subject}.`);
  const flags = ["--config", "test/vitest.config.ts", "--root", ".", "--bail", "1", "--reporter", "default"];
  const options = { cwd: folder, maxBuffer: 2 ** 28, env: { ...process.env, NO_COLOR: "1" } };
  return new Promise((resolve) => {
    execFile("npx", ["vitest", "run", ...flags, ...files], options, (error, stdout, stderr) => {
      const line = `${stdout}\n${stderr}`.split("\n").find((each) => /^\s*(FAIL\s|\w*Error: )/.test(each));
      resolve(error === null ? undefined : (line ?? `exit code ${error.code}`).trim());
    });
  });
}
