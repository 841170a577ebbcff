import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const CLI = fileURLToPath(new URL("../../dist/bin/emulator.js", import.meta.url));

export const peerFile = (name) => fileURLToPath(new URL(`../peers/${name}`, import.meta.url));

/** A folder for CPU profiles of every emulator that is started; set by `npm run profile`. */
let profiles;

export function profileInto(folder) {
  mkdirSync(folder, { recursive: true });
  profiles = folder;
}

const running = new Set();

/** Ends what a figure that failed has left running, whatever it is busy with, and what that has started. */
export function endAll() {
  for (const pid of [...running].flatMap((child) => familyOf(child.pid))) kill(pid);
}

function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/** Starts a program and resolves with its first line, the time until then, and a way to end it. */
export function launch(file, args = [], { nodeArgs = [], ...options } = {}) {
  const began = performance.now();
  const child = spawn(process.execPath, [...nodeArgs, file, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
  });
  const ended = new Promise((done) => child.once("exit", done)).finally(() => running.delete(child));
  running.add(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    const early = (code) => reject(new Error(`${file} ended with ${code} before it was ready`));
    child.once("exit", early);
    let text = "";
    child.stdout.on("data", function take(chunk) {
      text += chunk;
      if (!text.includes("\n")) return;
      const wallMs = performance.now() - began;
      child.stdout.off("data", take).resume();
      child.off("exit", early);
      resolve({ child, line: text.split("\n")[0], wallMs, family: () => familyOf(child.pid), stop });
    });
    async function stop() {
      child.kill("SIGTERM");
      await ended;
    }
  });
}

/** An emulator as its users start it, at `url`, in a process of its own; another build by its command line. */
export async function launchEmulator(args = [], env = {}, cli = CLI) {
  const nodeArgs = profiles ? ["--cpu-prof", `--cpu-prof-dir=${profiles}`] : [];
  const words = ["start", "--json", "--port", "0", ...args];
  // A folder of its own, since the emulator leaves its address where it was started.
  const cwd = mkdtempSync(join(tmpdir(), "emulator-bench-"));
  const launched = await launch(cli, words, { nodeArgs, cwd, env: { ...process.env, ...env } });
  launched.child.once("exit", () => rmSync(cwd, { recursive: true, force: true }));
  const { url, s3_url: s3Url } = JSON.parse(launched.line);
  return { ...launched, url, s3Url };
}

/** Another server, which prints `{"url": …}` when it is ready. */
export async function launchPeer(name, ...args) {
  const launched = await launch(peerFile(name), args);
  return { ...launched, ...JSON.parse(launched.line) };
}

/** Peak of the resident memory of a process in megabytes; undefined where there is no /proc. */
export function peakMbOf(pid) {
  return kilobytes(pid, "VmHWM");
}

export function residentMbOf(family) {
  return family.reduce((sum, pid) => sum + (kilobytes(pid, "VmRSS") ?? 0), 0) || undefined;
}

function kilobytes(pid, name) {
  const found = new RegExp(`${name}:\\s+(\\d+) kB`).exec(read(`/proc/${pid}/status`) ?? "");
  return found ? Number(found[1]) / 1024 : undefined;
}

/** A process and its descendants. */
function familyOf(pid) {
  let names = [];
  try {
    names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [pid];
  }
  const parents = names.flatMap((name) => statOf(name) ?? []);
  const family = [pid];
  for (const member of family)
    family.push(...parents.filter(({ parent }) => parent === member).map((child) => child.pid));
  return family;
}

const TICK_MS = 10;

/**
 * Milliseconds of the processor that these processes have used, in all threads and with the system's part. To the
 * nanosecond for threads that are still there, else in ticks; undefined where there is no /proc.
 */
export function cpuMsOf(family) {
  const spent = family.map((pid) => {
    const ticks = (statOf(pid)?.ticks ?? 0) * TICK_MS;
    const exact = threadsOf(pid).reduce((sum, thread) => sum + nanosecondsOf(pid, thread), 0) / 1e6;
    return Math.abs(exact - ticks) < 2 * TICK_MS ? exact : ticks;
  });
  return spent.reduce((sum, ms) => sum + ms, 0) || undefined;
}

function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function nanosecondsOf(pid, thread) {
  return Number(read(join("/proc", String(pid), "task", thread, "schedstat"))?.split(" ")[0] ?? 0);
}

function statOf(pid) {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  return { pid: Number(pid), parent: fields[1], ticks: fields[11] + fields[12] };
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
