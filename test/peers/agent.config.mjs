import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { findElsewhere } from "./vitest-suite.mjs";

const SHIMS = fileURLToPath(new URL("agent-shims.mjs", import.meta.url));

/** Its own helpers would empty the server by an operation that only its own server has. */
const ELSEWHERE = {
  "@langchain/langgraph-sdk": "langgraph-sdk-1",
  "./schema-expectations.mjs": SHIMS,
};

export default defineConfig({
  cacheDir: process.env.PEERS_CACHE,
  plugins: [
    {
      name: "own-helpers",
      enforce: "pre",
      resolveId: (id) => (id === "./utils.mjs" ? SHIMS : undefined),
      transform: (code) => code.replaceAll('"http://localhost:2024"', JSON.stringify(process.env.API_URL)),
    },
    findElsewhere({
      elsewhere: (id) => ELSEWHERE[id],
      absent: {
        postgres: ["default"],
        "wait-port": ["default"],
        "@langchain/langgraph/remote": ["RemoteGraph"],
      },
    }),
  ],
  test: { include: ["**/api.test.mts"], testTimeout: 30_000, fileParallelism: false },
});
