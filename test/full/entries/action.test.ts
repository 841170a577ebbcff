import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { childEnvironment } from "../../../emulator/client/child-environment.ts";
import { workingFolder } from "../../support/emulator-process.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CLI = `${process.execPath} ${join(ROOT, "dist/bin/emulator.js")}`;

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly steps: readonly {
      readonly env: Record<string, string>;
      readonly run: string;
      readonly uses?: string;
      readonly with?: { readonly path: string; readonly key: string };
    }[];
  };
}

const action = parse(readFileSync(join(ROOT, "action.yml"), "utf8")) as Action;
const step = action.runs.steps.find(({ uses }) => uses === undefined);

let folder: string;
let pids: number[];

beforeEach(() => {
  folder = workingFolder();
  pids = [];
});

afterEach(() => {
  for (const pid of pids) process.kill(pid, "SIGKILL");
});

/** Runs the step as the runner does: expressions are put in, and what it writes is read. */
function runStep(inputs: Readonly<Record<string, string>>, variables: Readonly<Record<string, string>> = {}) {
  const flags = (name: string) => inputs[name] ?? action.inputs[name]?.default ?? "";
  const env = Object.fromEntries(
    Object.entries(step!.env).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input) => flags(input)),
    ]),
  );
  const script = join(folder, "step.sh");
  writeFileSync(script, step!.run);
  for (const name of ["output", "env"]) writeFileSync(join(folder, name), "");
  const { status, stdout, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
    cwd: folder,
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      RUNNER_TEMP: folder,
      GITHUB_OUTPUT: join(folder, "output"),
      GITHUB_ENV: join(folder, "env"),
      ...env,
      ...variables,
    },
  });
  const read = (name: string) =>
    Object.fromEntries(
      readFileSync(join(folder, name), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
    );
  return { status, output: stdout + stderr, outputs: read("output"), env: read("env") };
}

describe("the GitHub action", () => {
  it("keeps an emulator running for the next steps, and outputs its address", async () => {
    const flags = "--clock frozen --now 2026-01-01T00:00:00Z";
    const { status, output, outputs, env } = runStep({ command: CLI, flags });
    expect({ status, output }).toEqual({
      status: 0,
      output: expect.stringContaining("frozen clock at 2026-01-01"),
    });
    const reply = (await (await fetch(`${outputs.url}/_emulator/v1/status`)).json()) as {
      pid: number;
      s3_url: string;
    };
    pids.push(reply.pid);
    expect(outputs.s3_url).toBe(reply.s3_url);
    expect(env).toEqual(
      childEnvironment({ url: outputs.url!, eu_url: outputs.eu_url!, s3_url: outputs.s3_url! }),
    );
    for (const { value } of Object.values(action.outputs)) {
      const [, name = ""] = /\$\{\{ steps\.start\.outputs\.(\w+) \}\}/.exec(value) ?? [];
      expect(outputs).toHaveProperty(name);
    }
  });

  it("fails with the output of an emulator that does not start", () => {
    const { status, output } = runStep({ command: CLI, flags: "--sede 7" });
    expect(status).toBe(1);
    expect(output).toContain("::error::");
    expect(output).toContain("did you mean --seed?");
  });

  // The steps run twice, with a process for each program.
  it("installs its own version once, into the folder that it caches", async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(action.inputs.version?.default).toBe(version);
    const cache = action.runs.steps.find(({ uses }) => uses?.startsWith("actions/cache@"))?.with;
    const path = "trace-platform-emulator/${{ inputs.version }}";
    expect(cache).toMatchObject({
      path: `\${{ runner.tool_cache }}/${path}`,
      key: expect.stringContaining("inputs.version"),
    });
    const npm = join(folder, "npm");
    writeFileSync(
      npm,
      `#!/bin/sh\necho "npm $*"\nmkdir -p "$3/node_modules/.bin"\nprintf '#!/bin/sh\\nexec ${CLI} "$@"\\n' > "$3/node_modules/.bin/emulator"\nchmod +x "$3/node_modules/.bin/emulator"\n`,
      { mode: 0o755 },
    );
    const variables = { PATH: `${folder}:${process.env.PATH}`, RUNNER_TOOL_CACHE: join(folder, "cache") };
    const installed = join(folder, "cache/trace-platform-emulator", version);
    for (const isFirst of [true, false]) {
      const { status, output, outputs } = runStep({}, variables);
      const call = `npm install --prefix ${installed} --no-audit --no-fund trace-platform-emulator@${version}`;
      expect([status, output.includes(call)]).toEqual([0, isFirst]);
      pids.push(((await (await fetch(`${outputs.url}/_emulator/v1/status`)).json()) as { pid: number }).pid);
    }
  });

  it("leaves the environment unchanged on request", async () => {
    const { status, outputs, env } = runStep({ command: CLI, "export-environment": "false" });
    expect({ status, env }).toEqual({ status: 0, env: {} });
    pids.push(((await (await fetch(`${outputs.url}/_emulator/v1/status`)).json()) as { pid: number }).pid);
  });
});
