// The newest Python clients, unmodified, against the built emulator: `node test/python-clients/run.mjs [python]`.
// Without a Python that has them, they are installed in a temporary folder. Where that is impossible, a line says so.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startEmulator } from "../support/start-emulator.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const EMULATOR = join(HERE, "../../dist/bin/emulator.js");
const INSTALL_MS = 180_000;
const TESTS_MS = 600_000;

const folder = mkdtempSync(join(tmpdir(), "python-clients-"));
try {
  const python = process.argv[2] ?? installClients();
  if (python) for (const profile of ["spec", "observed"]) await test(python, profile);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The Python of a new virtual environment that has the clients; undefined where they cannot be installed. */
function installClients() {
  const base = ["python3", "/usr/bin/python3"].find((name) => run(name, ["-c", "import ensurepip, venv"]).ok);
  if (!base) return skip("there is no python3 with the module ensurepip (Debian: python3-venv)");
  const environment = join(folder, "environment");
  const outcome = run(base, ["-m", "venv", environment]);
  if (!outcome.ok) return skip(outcome.text);
  const python = join(environment, "bin/python");
  const install = (...packages) =>
    run(python, ["-m", "pip", "install", "--quiet", "--retries", "0", "--timeout", "10", ...packages]);
  if (install("langsmith", "langgraph-sdk", "pytest").ok) return python;
  const tracing = install("langsmith", "pytest", "httpx", "websockets<17");
  const agent = tracing.ok ? install("--no-deps", "langgraph-sdk") : tracing;
  if (!agent.ok) return skip(agent.text);
  process.stdout.write(
    "langgraph-sdk is installed without packages of types that the package index does not have\n",
  );
  return python;
}

function skip(reason) {
  const [line] = reason.trim().split("\n").slice(-1);
  process.stdout.write(`THE TESTS OF THE PYTHON CLIENTS WERE NOT RUN: ${line}\n`);
  return undefined;
}

/** The clients have no settings but the variables that `emulator env` prints. */
async function test(python, profile) {
  const flags = ["--profile", profile, "--clock", "frozen", "--rate-limits", "off"];
  const emulator = await startEmulator(flags);
  try {
    const { stdout } = spawnSync(process.execPath, [EMULATOR, "env", "--json", "--url", emulator.ready.url]);
    const env = { PATH: process.env.PATH, EMULATOR_PROFILE: profile, ...JSON.parse(stdout) };
    process.stdout.write(`profile ${profile}\n`);
    const words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", HERE];
    const { status } = spawnSync(python, words, {
      env: { ...env, PYTHONDONTWRITEBYTECODE: "1" },
      stdio: "inherit",
      timeout: TESTS_MS,
    });
    if (status !== 0) process.exitCode = 1;
  } finally {
    await emulator.stop();
  }
}

function run(name, words) {
  const { status, stderr, error } = spawnSync(name, words, { encoding: "utf8", timeout: INSTALL_MS });
  return { ok: status === 0, text: stderr || (error?.message ?? `${name} ended with ${status}`) };
}
