import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileAdvice } from "../../emulator/storage/file-advice.ts";
import { type Command, UsageError } from "../command.ts";
import { printResult } from "../terminal.ts";

/** Files that `init` writes, by their paths in the project. */
const FILES: Readonly<Record<string, string>> = {
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

test("the webhook is sent when the run has ended", async ({ emulator, clock }) => {
  const created = await emulator.request("/threads", { json: {} }); // like fetch, with key, workspace and world
  const { thread_id } = await created.json();
  const run = { assistant_id: "slow", webhook: "/_emulator/inbox/mine" };
  await emulator.request(\`/threads/\${thread_id}/runs\`, { json: run });
  await clock.advance("PT10S"); // virtual time: a run of "slow" takes ten seconds
  await expect(emulator).toHaveDelivered({ run_status: "success" }, 1);
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
const AGENTS = "AGENTS.md";

const AGENTS_HEADING = "## Trace Platform emulator";

const AGENTS_PARAGRAPH = `${AGENTS_HEADING}

Tests run against a local emulator instead of the hosted service: \`npx emulator exec -- <command>\` starts one on free ports
and puts its addresses into the environment (\`EMULATOR_URL\`, \`EMULATOR_S3_URL\`, …). By hand: \`npx emulator start\`, then
\`npx emulator status\`, \`traces generate\`, \`export create --wait\`, \`clock advance 6h\`, \`fault arm worker_crash\` and
\`logs --follow\`; each takes \`--help\` and \`--json\`. Time is virtual: advance it, never sleep. A fault that was armed has
to hit. Read \`node_modules/trace-platform-emulator/AGENTS.md\` first; the documentation is in \`docs/\` of that folder.
`;

export const command: Command = {
  summary:
    "write emulator.config.yaml, an example test, a GitHub workflow and a section of AGENTS.md into a project (default: this folder); replaces no file",
  operands: ["[folder]"],
  flags: {},
  async run(invocation) {
    const folder = resolve(invocation.cwd, invocation.operands[0] ?? ".");
    if (!existsSync(folder))
      throw new UsageError(`${folder}: no such folder; create it, or name the project's`);
    const present = Object.keys(FILES).filter((path) => existsSync(join(folder, path)));
    const guide = guideIn(folder);
    if (guide?.includes(AGENTS_HEADING)) present.push(`"${AGENTS_HEADING}" in ${AGENTS}`);
    if (present.length > 0)
      throw new UsageError(`${present.join(", ")}: there already; nothing is written. Move it away first`);
    for (const [path, text] of Object.entries(FILES)) write(join(folder, path), text);
    write(
      join(folder, AGENTS),
      guide === undefined ? AGENTS_PARAGRAPH : `${guide.trimEnd()}\n\n${AGENTS_PARAGRAPH}`,
    );
    const writtenFiles = [...Object.keys(FILES), AGENTS];
    printResult(invocation, { folder, written: writtenFiles }, [
      ...writtenFiles.map((path) => `wrote ${path}`),
      "next: `npm i -D trace-platform-emulator vitest`, then `npx vitest run`, or `npx emulator start`",
    ]);
    return 0;
  },
};

function guideIn(folder: string): string | undefined {
  const path = join(folder, AGENTS);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`${path}: cannot be written: ${fileAdvice(error)}`);
  }
}
