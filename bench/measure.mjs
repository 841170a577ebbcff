import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const CLI = fileURLToPath(new URL("../dist/bin/emulator.js", import.meta.url));

export const HEADERS = {
  "content-type": "application/json",
  "x-api-key": "emulator-key",
  "x-tenant-id": "00000000-0000-4000-8000-000000000001",
};

export function median(values) {
  return percentile(values, 0.5);
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Starts a program and resolves with its first line, the time until then, and a way to end it. */
export function launch(file, args = [], options = {}) {
  const began = performance.now();
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${file} ended with ${code}`)));
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (!text.includes("\n")) return;
      resolve({
        child,
        line: text.split("\n")[0],
        ms: performance.now() - began,
        async stop() {
          child.removeAllListeners("exit");
          if (child.exitCode !== null) return;
          const ended = new Promise((done) => child.once("exit", done));
          child.kill("SIGTERM");
          await ended;
        },
      });
    });
  });
}

export async function launchEmulator(...args) {
  const launched = await launch(CLI, ["start", "--json", "--port", "0", ...args]);
  return { ...launched, ready: JSON.parse(launched.line) };
}

/** Resident and peak memory of a process in megabytes. */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const read = (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { resident: read("VmRSS"), peak: read("VmHWM") };
}

const TICK_MS = 10;

/** A process and its descendants. */
export function familyOf(pid) {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(name) ?? []);
  const family = [pid];
  for (const member of family)
    family.push(...parents.filter(({ parent }) => parent === member).map((child) => child.pid));
  return family;
}

/** Milliseconds of the processor that these processes have used, their threads and the system's part included. */
export function cpuOf(family) {
  return family.reduce((sum, pid) => sum + (statOf(pid)?.ticks ?? 0) * TICK_MS, 0);
}

function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    return { pid: Number(pid), parent: fields[1], ticks: fields[11] + fields[12] };
  } catch {
    return undefined;
  }
}

const LOAD = fileURLToPath(new URL("./peers/load.mjs", import.meta.url));

/** Load-tests one request with a separate process over ten connections. */
export async function loadOn(family, order) {
  const before = cpuOf(family);
  const client = await launch(LOAD, [JSON.stringify({ connections: 10, ...order })]);
  const after = cpuOf(family);
  await client.stop();
  const told = JSON.parse(client.line);
  if (told.failed > 0)
    throw new Error(`${told.failed} of ${told.requests} replies of ${order.origin} were refusals`);
  return { ...told, cpuMicros: ((after - before) * 1000) / told.requests };
}

export async function call(origin, method, path, body) {
  const reply = await fetch(origin + path, {
    method,
    headers: HEADERS,
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return JSON.parse(text);
}
