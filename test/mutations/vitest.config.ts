import { defineConfig } from "vitest/config";

/** Run by `npm run test:mutations`: some minutes. `test/contracts/mutations.test.ts` is the short form. */
export default defineConfig({
  test: {
    include: ["test/mutations/**/*.test.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxConcurrency: 2,
    maxWorkers: 2,
    pool: "forks",
  },
});
