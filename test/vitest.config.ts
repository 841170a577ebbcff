import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // They need a container engine: `npm run test:container`.
    exclude: ["test/container/**"],
    // Tests of the command line start processes, on machines with few cores.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
  },
});
