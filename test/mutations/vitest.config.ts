import { defineConfig } from "vitest/config";

/** Run by `npm run test:mutations`: some minutes. */
export default defineConfig({
  test: {
    globalSetup: "test/support/temporary-folder.ts",
    include: ["test/mutations/**/*.test.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxConcurrency: 2,
    maxWorkers: 2,
    pool: "forks",
  },
});
