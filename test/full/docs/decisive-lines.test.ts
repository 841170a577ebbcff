import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { openInProcess } from "../../../bin/replay/in-process.ts";
import { readScenario } from "../../../scenarios/document.ts";
import { replay } from "../../../scenarios/replay.ts";
import { blocksOf, PAGES, ROOT } from "../../docs/markdown.ts";
import { run } from "../../support/command-line.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { installPackage } from "../../support/user-project.ts";
import { type Example, scenarioMutants, testFileMutants } from "./decisive-lines.ts";

const PROJECT = "fixtures/examples/ci";

/** The examples of pages in files with this ending, and the file of the example project. */
function examples(ending: string, file: string): readonly Example[] {
  const place = `${PROJECT}/${file}${ending}`;
  return [
    ...PAGES.flatMap(blocksOf).filter(({ isRun, file: name }) => isRun && name?.endsWith(ending)),
    { place, text: readFileSync(join(ROOT, place), "utf8") },
  ];
}

/** The test that `emulator init` writes. */
async function initialTest(): Promise<Example> {
  const cwd = workingFolder();
  await run(["init", "--runner", "vitest"], { cwd });
  return { place: "emulator init", text: readFileSync(join(cwd, "test/emulator.test.ts"), "utf8") };
}

const folder = workingFolder();
installPackage(folder);
copyFileSync(join(ROOT, PROJECT, "src/nightly.ts"), join(folder, "nightly.ts"));

function write(name: string, content: string): string {
  const path = join(folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, content);
  return path;
}

// Their tests become tests of this file. Those that have to fail are marked.
for (const [index, { content }] of [...examples(".test.ts", "src/nightly"), await initialTest()]
  .flatMap(testFileMutants)
  .entries())
  await import(pathToFileURL(write(`${index}.test.ts`, content)).href);

describe("an example scenario fails", () => {
  const environments = openInProcess();
  afterAll(() => environments.close());

  async function verdictOf(text: string): Promise<string | undefined> {
    const scenario = readScenario(write("mutant.scenario.yaml", text));
    const [outcome] = await replay([scenario], { cwd: folder, jobs: 1, environments });
    return outcome?.verdict;
  }

  const mutants = examples(".scenario.yaml", "scenarios/webhook").flatMap(scenarioMutants);
  it.each(mutants.map(({ name, ...texts }) => [name, texts] as const))("%s", async (_, texts) => {
    // Some examples show how a scenario fails.
    if ((await verdictOf(texts.original)) !== "passed") return;
    expect(await verdictOf(texts.content)).toBe("failed");
  });
});
