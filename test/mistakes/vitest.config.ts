import { defineConfig } from "vitest/config";

/** `npm run test:mistakes`: minutes; `-- --shard=1/8` runs a share of the files. */
export default defineConfig({
  test: {
    globalSetup: "test/support/temporary-folder.ts",
    include: ["test/mistakes/**/*.test.ts"],
    // The bundles of the emulator are left to Node: Vite would transform each.
    server: { deps: { external: [/\/dist\/\.mistakes\//] } },
    maxWorkers: 2,
    pool: "forks",
    // A limit for what hangs, not for what is slow.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
