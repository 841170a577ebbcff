import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VITEST = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
const ENTRY = fileURLToPath(new URL("../../dist/emulator/entries/vitest.mjs", import.meta.url));

/** What a vitest printed that has ended by itself, and the folders that emulators left in its temporary one. */
export interface ChildRun {
  readonly output: string;
  readonly remainingFolders: readonly string[];
}

/** Runs files of tests in a folder, all in one worker; each file is a name and the lines after the imports. */
export async function childVitest(
  folder: string,
  files: Readonly<Record<string, readonly string[]>>,
  { pool, env = {} }: { readonly pool: "forks" | "threads"; readonly env?: Readonly<Record<string, string>> },
): Promise<ChildRun> {
  const imports = `import { expect, onTestFinished } from "vitest"; import { test } from ${JSON.stringify(ENTRY)};`;
  for (const [name, lines] of Object.entries(files))
    writeFileSync(join(folder, `${name}.test.js`), [imports, ...lines].join("\n"));
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  const words = ["run", "--root", folder, "--pool", pool, "--isolate=false", "--maxWorkers=1"];
  const limits = ["--reporter=verbose", "--testTimeout=300000", "--hookTimeout=300000"];
  const options = {
    cwd: folder,
    env: { PATH: process.env.PATH, NO_COLOR: "1", TMPDIR: temporary, ...env },
  };
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [VITEST, ...words, ...limits], options, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  return { output, remainingFolders: readdirSync(temporary).filter((name) => name.startsWith("emulator-")) };
}
