// Installs the newest clients, runs their quick starts against the emulator, and lists the paths answered 404 or 405:
// `npm run drift -- clients`. With `--save` the result goes into the documentation (`npm run docs` writes the page).
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CLI, launchEmulator } from "../harness/processes.mjs";

const execute = promisify(execFile);
const QUICK_STARTS = fileURLToPath(new URL("../quick-starts", import.meta.url));
const RESULT = fileURLToPath(new URL("../../build/docs/client-drift.json", import.meta.url));
const TIMEOUT_MS = 300_000;

/** The packages of each quick start; the settings are those of `emulator env --for`. */
const JAVASCRIPT = [
  { file: "tracing.mjs", client: "langsmith", packages: ["langsmith"] },
  { file: "agents.mjs", client: "langgraph", packages: ["@langchain/langgraph-sdk"] },
  { file: "store.mjs", client: "aws", packages: ["@aws-sdk/client-s3"] },
  {
    file: "spans.mjs",
    client: "otel",
    packages: ["@opentelemetry/exporter-trace-otlp-proto", "@opentelemetry/sdk-trace-base"],
  },
];
const PEERS = ["@opentelemetry/api@latest", "@langchain/core@latest"];
const PYTHON = [
  { file: "tracing.py", client: "langsmith", packages: ["langsmith"] },
  { file: "agents.py", client: "langgraph", packages: ["langgraph-sdk"] },
];

/** Runs the quick starts of the newest clients, prints the result, and saves it if that is requested. */
export async function compareClients({ isSaved }) {
  const folder = await mkdtemp(join(tmpdir(), "emulator-clients-"));
  try {
    await cp(QUICK_STARTS, folder, { recursive: true });
    const installed = [await installJavaScript(folder), await installPython(folder)];
    const results = [];
    for (const { program, quickStarts, versionOf } of installed)
      for (const quickStart of quickStarts)
        try {
          results.push(await runQuickStart(folder, { program, versionOf, ...quickStart }));
        } catch (error) {
          reportMissing(quickStart, error);
        }
    for (const result of results) process.stdout.write(`${textOf(result)}\n`);
    const rows = results.map(({ failed, requests, ...row }) => ({
      ...row,
      failed: failed.length,
      requests: requests.length,
    }));
    const date = new Date().toISOString().slice(0, 10);
    if (isSaved) await writeFile(RESULT, `${JSON.stringify({ date, rows }, null, 2)}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function installJavaScript(folder) {
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const names = JAVASCRIPT.flatMap(({ packages }) => packages).map((name) => `${name}@latest`);
  // The newest versions need not fit together, so npm does not resolve what they expect of each other.
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps"];
  await execute("npm", ["install", ...flags, ...names, ...PEERS], { cwd: folder });
  const versionOf = async (name) =>
    JSON.parse(await readFile(join(folder, "node_modules", name, "package.json"), "utf8")).version;
  return { program: process.execPath, quickStarts: JAVASCRIPT, versionOf };
}

/** Python packages are installed one by one: the index may lack a dependency of one of them. */
async function installPython(folder) {
  const program = join(folder, "python/bin/python");
  await execute("python3", ["-m", "venv", join(folder, "python")]);
  const quickStarts = [];
  for (const quickStart of PYTHON) {
    const words = ["-m", "pip", "install", "--quiet", "--upgrade", ...quickStart.packages];
    try {
      await execute(program, words);
      quickStarts.push(quickStart);
    } catch (error) {
      reportMissing(quickStart, error);
    }
  }
  const code = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))";
  const versionOf = async (name) => (await execute(program, ["-c", code, name])).stdout.trim();
  return { program, quickStarts, versionOf };
}

function reportMissing({ file, packages }, { message, stderr = message }) {
  const reason = stderr.trim().split("\n").at(-1);
  process.stderr.write(`${file} (${packages.join(", ")}) WAS NOT RUN: ${reason}\n`);
}

async function runQuickStart(folder, { program, file, client, packages, versionOf }) {
  const log = ["--log", "requests", "--log-format", "json", "--rate-limits", "off", "--ephemeral"];
  const emulator = await launchEmulator(log);
  const requests = [];
  createInterface({ input: emulator.child.stdout }).on("line", (line) => requests.push(JSON.parse(line)));
  try {
    const words = [CLI, "env", "--for", client, "--json", "--url", emulator.url];
    const { variables } = JSON.parse((await execute(process.execPath, words)).stdout);
    const env = { PATH: process.env.PATH, ...variables };
    const { stdout } = await execute(program, [file], { timeout: TIMEOUT_MS, cwd: folder, env });
    const { calls, failed } = JSON.parse(stdout.trim().split("\n").at(-1));
    const versions = await Promise.all(packages.map(async (name) => `${name} ${await versionOf(name)}`));
    const language = file.endsWith(".py") ? "Python" : "JavaScript";
    return { language, versions, calls, failed, requests, notFound: countPaths(requests) };
  } finally {
    await emulator.stop();
  }
}

/** The paths answered 404 or 405, without ids and queries, with their number. */
function countPaths(requests) {
  const counts = {};
  for (const { method, path, status } of requests) {
    if (status !== 404 && status !== 405) continue;
    const name = `${method} ${path.split("?")[0].replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "{id}")}`;
    counts[`${name} ${status}`] = (counts[`${name} ${status}`] ?? 0) + 1;
  }
  return counts;
}

function textOf({ language, versions, calls, failed, requests, notFound }) {
  return [
    `${language}: ${versions.join(", ")}: ${calls} calls, ${failed.length} failed; ${requests.length} requests`,
    ...Object.entries(notFound).map(([path, count]) => `  ${count} × ${path}`),
    ...failed.map((line) => `  failed: ${line}`),
  ].join("\n");
}
