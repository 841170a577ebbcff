import { defineConfig } from "vitest/config";

/** Run by `npm run test:container`, which makes the image that is tested. */
export default defineConfig({
  test: {
    include: ["test/container/**/*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
    pool: "forks",
  },
});
