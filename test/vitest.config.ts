import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // `npm run test:container` (they need a container engine) and `npm run test:mutations` (they take minutes).
    exclude: ["test/container/**", "test/mutations/**"],
    // Tests of the command line start processes, on machines with few cores.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
  },
});
