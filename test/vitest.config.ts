import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** `npm run test:quick`: these folders, without the files marked slow. They need no build. */
const QUICK = ["client", "config", "control", "http", "kernel", "subjects"];

/** `npm run test:container` (they need a container engine) and `npm run test:mutations` (they take minutes). */
const APART = ["container/", "mutations/"];

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

function quick(path: string): boolean {
  return QUICK.some((folder) => path.startsWith(`${folder}/`)) && !SLOW.includes(path);
}

export default defineConfig(({ mode }) => {
  const files = mode === "quick" ? FILES.filter(quick) : FILES;
  const project = (name: string, isolate: boolean) => ({
    extends: true as const,
    test: {
      name,
      isolate,
      include: files.filter((path) => ALONE.includes(path) === isolate).map((path) => `test/${path}`),
    },
  });
  return {
    test: {
      pool: "forks",
      // By default one core is left free.
      maxWorkers: "100%",
      // A limit for what hangs, not for what is slow: machines have few cores, and these are loaded.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 120_000 } },
      setupFiles: ["test/support/setup.ts"],
      projects: [project("own process", true), project("shared", false)],
    },
  };
});
