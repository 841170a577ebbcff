import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A test runner: its example, and how it is called on a machine and in a workflow. */
export interface Runner {
  /** The example test and what it needs, by their paths in the project. */
  readonly files: Readonly<Record<string, string>>;
  /** Calls the runner in the project; `<bin>/` is the nearest `node_modules/.bin` that has the program. */
  readonly command: readonly string[];
  /** Installs the runner where the project does not have it. */
  readonly install?: string;
  /** Steps of the workflow before the package is installed, in YAML. */
  readonly setup?: readonly string[];
}

const TITLE = "the webhook is sent when the run has ended";

/** The body of an example in JavaScript; `check` is its last line. */
function example(header: string, check: string): string {
  const isWrapped = header.includes("withWorld");
  return `${header}
test("${TITLE}", ${isWrapped ? "withWorld(" : ""}async ({ emulator, clock }) => {
${steps("emulator", "clock")}
  ${check}
})${isWrapped ? ")" : ""};
`;
}

function steps(world: string, clock: string): string {
  return `  const reply = await ${world}.request("/threads", { json: {} }); // like fetch, with key, workspace and world
  const { thread_id } = await reply.json();
  const run = { assistant_id: "slow", webhook: "/_emulator/inbox/mine" };
  await ${world}.request(\`/threads/\${thread_id}/runs\`, { json: run });
  await ${clock}.advance("10s"); // virtual time: a run of "slow" takes ten seconds`;
}

const START = 'await startEmulator({ clock: "frozen", now: "2026-01-01T00:00:00Z" })';

const MATCHER = 'await expect(emulator).toHaveDelivered({ run_status: "success" }, 1);';

export const RUNNERS = {
  vitest: {
    files: {
      "test/emulator.test.ts": example(
        `import { test } from "trace-platform-emulator/vitest"; // each test has a world of its own
import { expect } from "vitest";
`,
        MATCHER,
      ),
    },
    command: ["<bin>/vitest", "run"],
    install: "npm i -D vitest",
  },
  jest: {
    files: {
      "test/emulator.test.cjs": example(
        'const { withWorld } = require("trace-platform-emulator/jest"); // each test has a world of its own\n',
        MATCHER,
      ),
    },
    command: ["<bin>/jest"],
    install: "npm i -D jest",
  },
  "node:test": {
    files: {
      "test/emulator.test.mjs": example(
        `import { test } from "node:test";
import { assertDelivered, withWorld } from "trace-platform-emulator/node-test"; // each test has a world of its own
`,
        'await assertDelivered(emulator, { run_status: "success" }, 1);',
      ),
    },
    command: ["node", "--test"],
  },
  bun: {
    files: {
      "test/emulator.test.ts": example(
        `import { expect, test } from "bun:test";
import { withWorld } from "trace-platform-emulator/bun"; // each test has a world of its own
`,
        MATCHER,
      ),
    },
    command: ["bun", "test"],
    install: "npm i -D bun",
    setup: ["- uses: oven-sh/setup-bun@v2"],
  },
  mocha: {
    files: {
      "test/emulator.test.mjs": `import assert from "node:assert/strict";
import { startEmulator } from "trace-platform-emulator";

let emulator, world;
before(async () => { emulator = ${START}; });
beforeEach(async () => { world = await emulator.fork(); }); // each test has a world of its own
afterEach(() => world.close({ unusedFaults: "error" })); // fails the test if a fault was armed and never triggered
after(() => emulator.close());

it("${TITLE}", async () => {
${steps("world", "world.clock")}
  const deliveries = await world.control("GET", "/webhooks/deliveries?status=delivered");
  assert.equal(deliveries.length, 1);
});
`,
    },
    command: ["<bin>/mocha"],
    install: "npm i -D mocha",
  },
  playwright: {
    files: {
      "tests/emulator.spec.ts": `import { expect, test as base } from "@playwright/test";
import { type Emulator, startEmulator } from "trace-platform-emulator";

const test = base.extend<{ world: Emulator }, { emulator: Emulator }>({
  emulator: [async ({}, use) => {
    const emulator = ${START};
    await use(emulator);
    await emulator.close();
  }, { scope: "worker" }],
  world: async ({ emulator }, use) => {
    const world = await emulator.fork(); // each test has a world of its own
    await use(world);
    await world.close({ unusedFaults: "error" }); // fails the test if a fault was armed and never triggered
  },
});

test("${TITLE}", async ({ world }) => {
${steps("world", "world.clock")}
  expect(await world.control("GET", "/webhooks/deliveries?status=delivered")).toHaveLength(1);
});
`,
    },
    command: ["<bin>/playwright", "test"],
    install: "npm i -D @playwright/test",
  },
  pytest: {
    files: {
      "conftest.py": `"""Fixtures of the emulator: world, clock, faults."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "node_modules/trace-platform-emulator/dist/python"))
pytest_plugins = ["trace_platform_emulator"]
`,
      "tests/test_emulator.py": `def test_the_webhook_is_sent_when_the_run_has_ended(world, clock):  # each test has a world of its own
    thread = world.request("POST", "/threads", json={}).json()["thread_id"]  # with key, workspace and world
    run = {"assistant_id": "slow", "webhook": "/_emulator/inbox/mine"}
    world.request("POST", f"/threads/{thread}/runs", json=run)
    clock.advance("10s")  # virtual time: a run of "slow" takes ten seconds
    assert len(world.deliveries(run_status="success", status="delivered")) == 1
`,
    },
    command: ["python3", "-m", "pytest"],
    install: "python3 -m pip install pytest",
    setup: [
      "- uses: actions/setup-python@v5",
      '  with: { python-version: "3.x" }',
      "- run: python3 -m pip install pytest    # and what else your project needs",
    ],
  },
} as const satisfies Readonly<Record<string, Runner>>;

export type RunnerName = keyof typeof RUNNERS;

/** The runner of a project, by its packages, scripts and files; `node:test`, which Node has, if there is no sign of one. */
export function runnerOf(folder: string): RunnerName {
  const { dependencies = {}, devDependencies = {}, scripts = {} } = packageOf(folder);
  const has = (name: string) => name in dependencies || name in devDependencies;
  const script = scripts.test ?? "";
  if (/\bnode\b.* --test\b/.test(script)) return "node:test";
  if (has("vitest") || /\bvitest\b/.test(script)) return "vitest";
  if (has("jest") || /\bjest\b/.test(script)) return "jest";
  if (has("mocha") || /\bmocha\b/.test(script)) return "mocha";
  if (has("bun") || /\bbun test\b/.test(script) || hasFile(folder, /^(bun\.lockb?|bunfig\.toml)$/))
    return "bun";
  // A project with unit tests often has browser tests too, so this one is next to last.
  if (has("@playwright/test") || /\bplaywright test\b/.test(script)) return "playwright";
  return usesPytest(folder) ? "pytest" : "node:test";
}

/** The command that installs the packages of a lock file. */
export function installCommandOf(folder: string): string {
  if (hasFile(folder, /^pnpm-lock\.yaml$/)) return "corepack enable && pnpm install --frozen-lockfile";
  if (hasFile(folder, /^yarn\.lock$/)) return "corepack enable && yarn install --immutable";
  return hasFile(folder, /^bun\.lockb?$/) ? "bun install --frozen-lockfile" : "npm ci";
}

/** The nearest file of this path in `node_modules`, from a folder upwards. */
export function installedPath(folder: string, path: string): string | undefined {
  const candidate = join(folder, "node_modules", path);
  if (existsSync(candidate)) return candidate;
  return dirname(folder) === folder ? undefined : installedPath(dirname(folder), path);
}

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** No entries if the file is absent or is not JSON. */
function packageOf(folder: string): Package {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) ?? {};
  } catch {
    return {};
  }
}

function usesPytest(folder: string): boolean {
  return (
    hasFile(
      folder,
      /^(pytest\.ini|pyproject\.toml|setup\.(py|cfg)|tox\.ini|requirements.*\.txt|Pipfile|conftest\.py)$/,
    ) || [folder, join(folder, "tests"), join(folder, "test")].some((each) => hasFile(each, /^test_.*\.py$/))
  );
}

function hasFile(folder: string, name: RegExp): boolean {
  return existsSync(folder) && readdirSync(folder).some((each) => name.test(each));
}
