/** Files that `init` writes, by their paths in the project. */
export const FILES: Readonly<Record<string, string>> = {
  "emulator.config.yaml": `# yaml-language-server: $schema=./node_modules/trace-platform-emulator/dist/emulator.config.schema.json
# What \`emulator start\` and \`emulator exec\` begin with; flags and EMULATOR_… variables win.
clock:
  mode: frozen
  now: 2026-01-01T00:00:00Z
seed: 1
seed_data:
  projects: [shop]
`,
  "test/emulator.test.ts": `import { test } from "trace-platform-emulator/vitest"; // each test has a world of its own
import { expect } from "vitest";

test("an unused thread becomes idle", async ({ emulator, clock }) => {
  const created = await emulator.request("/threads", { json: {} }); // as fetch, with key, workspace and world
  const { thread_id } = await created.json();
  await clock.advance("PT6H10M");
  const thread = await emulator.request(\`/threads/\${thread_id}\`);
  expect(await thread.json()).toMatchObject({ status: "idle" });
});
`,
  ".github/workflows/emulator.yml": `name: emulator
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 22 }
      - run: npm ci
      # Starts an emulator on free ports; its addresses are in the environment of the tests.
      - run: npx emulator exec -- npm test
`,
};

/** The file of instructions for agents, which a project may have already. */
export const AGENTS = "AGENTS.md";

export const AGENTS_HEADING = "## Trace Platform emulator";

export const AGENTS_PARAGRAPH = `${AGENTS_HEADING}

Tests run against a local emulator instead of the hosted service: \`npx emulator exec -- <command>\` starts one on free ports
and puts its addresses into the environment (\`EMULATOR_URL\`, \`EMULATOR_S3_URL\`, …). By hand: \`npx emulator start\`, then
\`npx emulator status\`, \`traces generate\`, \`export create --wait\`, \`clock advance 6h\`, \`fault arm worker_crash\` and
\`logs --follow\`; each takes \`--help\` and \`--json\`. Time is virtual: advance it, never sleep. A fault that was armed has
to hit. Read \`node_modules/trace-platform-emulator/AGENTS.md\` first; the documentation is in \`docs/\` of that folder.
`;
