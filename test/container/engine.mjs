// Finds a container engine, or makes one run where that can be done without asking anybody.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const SOCKET = "/var/run/docker.sock";
const INSTALL_MS = 300_000;
const START_MS = 120_000;
const STOP_MS = 60_000;
const POLL_MS = 250;

/** Resolves to a function that stops the engine, or rejects with the reason why none runs. */
export async function openEngine() {
  if (answers()) return { close: async () => undefined };
  if (process.platform !== "linux" || process.getuid() !== 0)
    throw new Error("no container engine answers, and only root on Linux can start one");
  // It may listen at a place that this process would not look at.
  if (process.env.DOCKER_HOST) throw new Error("no container engine answers at DOCKER_HOST");
  if (!has("dockerd")) install();
  return startDaemon();
}

function answers() {
  return spawnSync("docker", ["version"], { stdio: "ignore", timeout: STOP_MS }).status === 0;
}

function has(program) {
  return spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;
}

function install() {
  if (!has("apt-get")) throw new Error("there is no container engine, and no apt-get to install one with");
  const options = { stdio: ["ignore", "ignore", "pipe"], timeout: INSTALL_MS };
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  try {
    execFileSync("apt-get", ["update", "-qq"], { ...options, env });
    execFileSync("apt-get", ["install", "-qq", "-y", "--no-install-recommends", "docker.io"], {
      ...options,
      env,
    });
  } catch (error) {
    throw new Error(`docker.io cannot be installed: ${lastLine(String(error.stderr || error.message))}`);
  }
}

async function startDaemon() {
  const log = join(tmpdir(), `dockerd-${process.pid}.log`);
  const output = openSync(log, "w");
  const daemon = spawn("dockerd", ["--host", `unix://${SOCKET}`], { stdio: ["ignore", output, output] });
  let ended = false;
  const end = new Promise((resolve) => {
    for (const event of ["exit", "error"])
      daemon.once(event, () => {
        ended = true;
        resolve();
      });
  });
  for (let waitedMs = 0; waitedMs < START_MS && !ended; waitedMs += POLL_MS) {
    if (existsSync(SOCKET) && answers()) return { close: () => stop(daemon, end) };
    await pause(POLL_MS);
  }
  await stop(daemon, end);
  throw new Error(`dockerd does not start: ${lastLine(readFileSync(log, "utf8"))} (${log})`);
}

async function stop(daemon, end) {
  daemon.kill("SIGTERM");
  const timer = setTimeout(() => daemon.kill("SIGKILL"), STOP_MS);
  await end;
  clearTimeout(timer);
}

function lastLine(text) {
  return text.trim().split("\n").at(-1);
}
