// The integration tests of the tracing client (langsmith-sdk, js/src/tests/*.int.test.ts).

import { runVitest } from "./vitest-suite.mjs";

export function run({ folder, emulator }) {
  const names = ["LANGSMITH", "LANGCHAIN"];
  const env = names.flatMap((name) => [
    [`${name}_ENDPOINT`, emulator.url],
    [`${name}_API_KEY`, "key"],
    [`${name}_TRACING`, "true"],
  ]);
  return runVitest({ folder, config: "tracing.config.mjs", env: Object.fromEntries(env) });
}

export function flags() {
  return ["--rate-limits", "off"];
}
