// Builds the image from this folder and uses it as its users do: by Docker, by testcontainers, by the contract suites.
// Without an engine it only prints that.

import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { BASE_IMAGE, makeBaseImage } from "./base-image.mjs";
import { openEngine } from "./engine.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const IMAGE = "trace-platform-emulator:check";
/** What a machine behind a proxy needs in order to fetch packages while it builds. */
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];

const engine = await openEngine().catch(notRun);
if (engine)
  try {
    if (isOfUse()) check();
  } finally {
    spawnSync("docker", ["rmi", "--force", IMAGE], { stdio: "ignore" });
    await engine.close();
  }

function notRun({ message }) {
  process.stderr.write(`THE CONTAINER CHECKS WERE NOT RUN: ${message.split("\n", 1)[0]}\n`);
}

/** An engine that was let in where containers are not allowed answers, and starts none. */
function isOfUse() {
  try {
    makeBaseImage();
    execFileSync("docker", ["run", "--rm", BASE_IMAGE, "node", "--version"], { stdio: "inherit" });
    return true;
  } catch (error) {
    notRun(error);
    return false;
  }
}

function check() {
  const proxies = PROXIES.filter((name) => process.env[name]).flatMap((name) => ["--build-arg", name]);
  const base = ["--build-arg", `NODE_IMAGE=${BASE_IMAGE}`];
  const isBuilt = run("docker", ["build", "--quiet", ...base, ...proxies, "--tag", IMAGE, "."]);
  if (!isBuilt) return;
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--root", ".", "--config"];
  run(process.execPath, [...vitest, "test/container/vitest.config.ts"]);
  const cases = ["2.5/filter", "4.1/paging", "6/payload", "8.5/runs-stats", "X/verification"];
  run(process.execPath, [
    "dist/bin/emulator.js",
    "contract",
    "run",
    ...cases,
    "--target",
    `container:${IMAGE}`,
  ]);
  readComposeFiles();
}

/** As a plugin or as a program of its own; many engines come without either. */
function readComposeFiles() {
  const compose = [["docker", "compose"], ["docker-compose"]].find(
    ([program, ...words]) => spawnSync(program, [...words, "version"], { stdio: "ignore" }).status === 0,
  );
  if (compose)
    for (const file of ["compose.yaml", "fixtures/examples/ci/compose.yaml"])
      run(compose[0], [...compose.slice(1), "--file", file, "config", "--quiet"]);
  else process.stderr.write("the compose files were not read: there is no docker compose here\n");
}

function run(program, words) {
  const { status } = spawnSync(program, words, {
    cwd: ROOT,
    stdio: "inherit",
    env: {
      ...process.env,
      // The tests stop what they start; a helper that does it too would have to be fetched.
      TESTCONTAINERS_RYUK_DISABLED: "true",
      CONTAINER_IMAGE: IMAGE,
      CONTAINER_BASE_IMAGE: BASE_IMAGE,
    },
  });
  if (status !== 0) process.exitCode = 1;
  return status === 0;
}
