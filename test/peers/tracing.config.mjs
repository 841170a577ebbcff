import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { findElsewhere } from "./vitest-suite.mjs";

const SHIMS = fileURLToPath(new URL("tracing-shims.mjs", import.meta.url));
const PUBLISHED = fileURLToPath(new URL("../../node_modules/langsmith/lib", import.meta.url));

/** What a copy of the tests alone lacks: the client is the published one, the helpers are written here. */
function elsewhere(id) {
  if (id === "./utils.js" || id === "./utils/markers.js") return SHIMS;
  if (id.startsWith("../")) return `${PUBLISHED}/${id.slice(3)}`;
  return undefined;
}

export default defineConfig({
  cacheDir: process.env.PEERS_CACHE,
  plugins: [
    findElsewhere({
      elsewhere,
      absent: { "@langchain/openai": ["ChatOpenAI"], "langchain/load": ["load"] },
    }),
  ],
  test: {
    include: ["**/src/tests/*.int.test.ts"],
    globals: true,
    setupFiles: [fileURLToPath(new URL("tracing-setup.mjs", import.meta.url))],
    testTimeout: 60_000,
    fileParallelism: false,
  },
});
