import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { fileAdvice } from "../../emulator/runtime/process/file-advice.ts";
import { type Command, type Invocation, UsageError } from "../command.ts";
import {
  installCommandOf,
  installedPath,
  RUNNERS,
  type Runner,
  type RunnerName,
  runnerOf,
} from "../init/runners.ts";
import { printError, printResult, withProgress } from "../terminal.ts";
import { wordOf } from "../values.ts";

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

const PACKAGE = "trace-platform-emulator";

const CONFIGURATION = `# yaml-language-server: $schema=./node_modules/${PACKAGE}/dist/emulator.config.schema.json
# What \`emulator start\` and \`emulator exec\` begin with; flags and EMULATOR_… variables win.
clock:
  mode: frozen
  now: 2026-01-01T00:00:00Z
seed: 1
seed_data:
  projects: [shop]
`;

const IGNORED = ["node_modules/", ".emulator/"];

/** The file of instructions for agents, which a project may have already. */
const AGENTS = "AGENTS.md";

const AGENTS_HEADING = "## Trace Platform emulator";

const AGENTS_PARAGRAPH = `${AGENTS_HEADING}

Tests run against a local emulator instead of the hosted service: \`npx emulator exec -- <command>\` starts one on free ports
and puts its addresses into the environment (\`EMULATOR_URL\`, \`EMULATOR_S3_URL\`, …). By hand: \`npx emulator start\`, then
\`npx emulator status\`, \`traces generate\`, \`export create --wait\`, \`clock advance 6h\`, \`fault arm worker_crash\` and
\`logs --follow\`; each takes \`--help\` and \`--json\`. Time is virtual: advance it, never sleep. A fault that was armed has
to trigger. Read \`node_modules/${PACKAGE}/AGENTS.md\` first; the documentation is in \`docs/\` of that folder.
`;

const NAMES = Object.keys(RUNNERS) as RunnerName[];

export const command: Command = {
  summary:
    "add the emulator to a project (default: this folder): a configuration file, an example test for the runner of the project, a GitHub workflow, entries in .gitignore and AGENTS.md; replaces no file, and runs the test",
  operands: ["[folder]"],
  flags: {
    runner: {
      value: NAMES.join("|"),
      help: "test runner (default: the one that the project uses, else node:test)",
    },
  },
  async run(invocation) {
    const folder = resolve(invocation.cwd, invocation.operands[0] ?? ".");
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (!stats?.isDirectory())
      throw new UsageError(
        `${folder}: ${stats ? "this is a file, not a folder; give" : "no such folder; create it, or give"} the folder of the project`,
      );
    const name = wordOf(invocation, "runner", NAMES) ?? runnerOf(folder);
    const runner: Runner = RUNNERS[name];
    const files = { "emulator.config.yaml": CONFIGURATION, ...runner.files, ...workflow(folder, runner) };
    const present = Object.keys(files).filter((path) => existsSync(join(folder, path)));
    const guide = textIn(folder, AGENTS);
    if (guide.includes(AGENTS_HEADING)) present.push(`"${AGENTS_HEADING}" in ${AGENTS}`);
    if (present.length > 0)
      throw new UsageError(
        `${present.join(", ")}: already in the project; nothing was written. Move it away first`,
      );
    const { lines: writtenFiles, done } = writeAll(folder, files, guide);
    const outcome = await runTest(invocation, folder, runner);
    printResult(invocation, { folder, runner: name, written: writtenFiles, test: outcome }, [
      ...done,
      outcome.passed === null
        ? `the test was not run: ${outcome.reason}`
        : `\`${outcome.command}\`: the test ${outcome.passed ? "passed" : "FAILED"}`,
    ]);
    return outcome.passed === false ? 1 : 0;
  },
};

/** Writes the files, and adds to those that a project may have. */
function writeAll(folder: string, files: Readonly<Record<string, string>>, guide: string) {
  for (const [path, text] of Object.entries(files)) write(join(folder, path), text);
  write(join(folder, AGENTS), guide === "" ? AGENTS_PARAGRAPH : `${guide.trimEnd()}\n\n${AGENTS_PARAGRAPH}`);
  const ignored = textIn(folder, ".gitignore");
  const missing = IGNORED.filter(
    (entry) => !new RegExp(`^/?${entry.replace(".", "\\.")}?$`, "m").test(ignored),
  );
  if (missing.length > 0)
    write(
      join(folder, ".gitignore"),
      `${ignored === "" ? "" : `${ignored.trimEnd()}\n`}${missing.join("\n")}\n`,
    );
  const lines = [...Object.keys(files), AGENTS, ...(missing.length > 0 ? [".gitignore"] : [])];
  return { lines, done: lines.map((path) => `wrote ${path}`) };
}

/** A GitHub workflow that calls the runner. */
function workflow(folder: string, { command: words, setup = [] }: Runner): Readonly<Record<string, string>> {
  const call = words.join(" ").replace("<bin>/", "npx ");
  return {
    ".github/workflows/emulator.yml": `name: emulator
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 22 }
${setup.map((line) => `      ${line}\n`).join("")}      - run: ${installCommandOf(folder)}
      # Starts an emulator on free ports; its addresses are in the environment of the tests.
      - run: npx emulator exec -- ${call}
`,
  };
}

interface TestOutcome {
  readonly command: string;
  /** Null: it was not run. */
  readonly passed: boolean | null;
  readonly reason?: string;
}

/** Runs the example; the output of the runner is shown when it fails. */
async function runTest(invocation: Invocation, folder: string, runner: Runner): Promise<TestOutcome> {
  const [program = "", ...options] = runner.command;
  const file = Object.keys(runner.files).at(-1) ?? "";
  const command = [program.replace("<bin>/", "npx "), ...options, file].join(" ");
  const notRun = (reason: string) => ({ command, passed: null, reason: `${reason}, then \`${command}\`` });
  if (installedPath(folder, PACKAGE) === undefined)
    return notRun(`${PACKAGE} is not installed in this project; run \`npm i -D ${PACKAGE}\``);
  const path = program.startsWith("<bin>/") ? installedPath(folder, `.bin/${program.slice(6)}`) : program;
  const missing = `${program.replace("<bin>/", "")} is not installed; run \`${runner.install}\``;
  if (path === undefined) return notRun(missing);
  // A runner that starts another one would change how that one reports.
  const env = {
    ...invocation.env,
    NODE_TEST_CONTEXT: undefined,
    VITEST: undefined,
    JEST_WORKER_ID: undefined,
  };
  const running = promisify(execFile)(path === "node" ? process.execPath : path, [...options, file], {
    cwd: folder,
    env,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  try {
    await withProgress(invocation, `running ${command}`, running, "the files were written");
    return { command, passed: true };
  } catch (error) {
    if (!(error instanceof Error && "stdout" in error)) throw error;
    const { code, stdout, stderr } = error as Error & {
      code?: number | string;
      stdout: string;
      stderr: string;
    };
    if (code === "ENOENT" || /No module named pytest/.test(stderr)) return notRun(missing);
    for (const line of `${stdout}${stderr}`.trim().split("\n")) printError(line);
    return { command, passed: false, reason: `exit code ${code}` };
  }
}

function textIn(folder: string, name: string): string {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`${path}: cannot be written: ${fileAdvice(error)}`);
  }
}
