import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { COMPILED_SOURCES, compileSources } from "./support/compiled-sources.ts";
import { isFull } from "./support/depth.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** `npm run test:quick`: these folders, without the files marked slow. They need no build. */
const QUICK = ["client", "config", "control", "http", "kernel", "subjects"];

/** `npm run test:container` (they need a container engine) and `npm run test:mistakes` (they take minutes). */
const APART = ["container/", "mistakes/"];

const FILES = readdirSync(HERE, { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".test.ts") && !APART.some((folder) => path.startsWith(folder)),
);

/** The files that begin with a line `// <mark>: <why>`. */
function marked(mark: string): readonly string[] {
  const headOf = (path: string) => readFileSync(`${HERE}${path}`, "utf8").split("import ", 1)[0] ?? "";
  return FILES.filter((path) => headOf(path).includes(`// ${mark}: `));
}

const ALONE = marked("own process");
const SLOW = marked("slow");

/** Files that only run in full depth, or when the command line names them. */
const LEFT = isFull
  ? []
  : [...marked("full depth"), ...FILES.filter((path) => path.startsWith("full/"))].filter(
      (path) => !process.argv.some((word) => word.endsWith(path)),
    );

function quick(path: string): boolean {
  return QUICK.some((folder) => path.startsWith(`${folder}/`)) && !SLOW.includes(path);
}

/** Most files that take long start processes. Where no run has left its times, files go by their size, which says little. */
const LONG = /\/test\/((docs|contracts|console|cli|entries|scenarios|clients|examples)\/|storage\/damage)/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) =>
      project.config.isolate ? 0 : LONG.test(moduleId) ? 1 : 2;
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

const COMMON = {
  pool: "forks" as const,
  sequence: { sequencer: LongFirst },
  // Files wait for the processes that they start, and for seconds of theirs: with two more than there are cores, none idles.
  maxWorkers: availableParallelism() + 2,
  // A limit for what hangs, not for what is slow: machines have few cores, and these are loaded.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000 } },
  setupFiles: ["test/support/setup.ts"],
};

export default defineConfig(async ({ mode }) => {
  await compileSources();
  const files = (mode === "quick" ? FILES.filter(quick) : FILES).filter((path) => !LEFT.includes(path));
  // Other tools load this file too.
  if (LEFT.length > 0 && process.env.VITEST)
    process.stdout.write(`${LEFT.length} test files run only with TEST_DEPTH=full, as in .ci/run.\n`);
  const project = (name: string, isolate: boolean) => ({
    plugins: [COMPILED_SOURCES],
    test: {
      ...COMMON,
      name,
      isolate,
      // Left to Node; Vitest would do the same only for what is in node_modules.
      server: { deps: { external: [/\/dist\/\.test-sources\//] } },
      include: files.filter((path) => ALONE.includes(path) === isolate).map((path) => `test/${path}`),
    },
  });
  return {
    test: {
      ...COMMON,
      // Not of the projects, where it would run once for each.
      globalSetup: "test/support/temporary-folder.ts",
      projects: [project("own process", true), project("shared", false)],
    },
  };
});
