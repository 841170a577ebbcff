import { defineConfig } from "vitest/config";

/** `npm test` runs the project `default`; `.ci/full` also runs `full`, which starts processes and a browser. */
export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: "100%",
    setupFiles: ["test/support/setup.ts"],
    // A limit for what hangs, not for what is slow: machines have few cores, and these are loaded.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    globalSetup: "test/support/temporary-folder.ts",
    projects: [
      {
        extends: true,
        test: {
          name: "default",
          include: ["test/**/*.test.ts"],
          exclude: ["test/{container,full,mistakes}/**"],
          isolate: false,
        },
      },
      { extends: true, test: { name: "full", include: ["test/full/**/*.test.ts"] } },
    ],
  },
});
