import { defineConfig } from "vitest/config";

/** Run by `npm run test:container`, which makes the image that is tested. */
export default defineConfig({
  test: {
    include: ["test/container/**/*.test.ts"],
    testTimeout: 90_000,
    hookTimeout: 90_000,
    fileParallelism: false,
    pool: "forks",
  },
});
