import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
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

/** Megabytes of a process: resident now, and at its highest so far. */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const read = (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { resident: read("VmRSS"), peak: read("VmHWM") };
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
