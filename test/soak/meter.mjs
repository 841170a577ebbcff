// Loaded with `--import` into a server: reports how long its event loop was blocked or busy, and how far its memory grew.
import { readFileSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 5;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
let [residentBefore, busyBefore] = [0, 0];

/** Kilobytes of a line of /proc/self/status; 0 where the system has no such file. */
function statusOf(name) {
  try {
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Time that the main thread has had a processor, which other processes do not make longer; 0 where the system does not tell. */
function busyMs() {
  try {
    const [ns] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ");
    return Number(ns) / 1e6;
  } catch {
    return 0;
  }
}

/** The highest memory so far is counted again from here. */
function reset() {
  globalThis.gc?.();
  try {
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // Only Linux can do this; elsewhere the growth is reported as 0.
  }
  residentBefore = statusOf("VmRSS");
  busyBefore = busyMs();
  delay.reset();
}

process.on("message", (message) => {
  const blockedMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
  const grownBytes = Math.max(0, statusOf("VmHWM") - residentBefore) * 1024;
  if (message === "reset") reset();
  process.send({ blockedMs, busyMs: busyMs() - busyBefore, grownBytes });
});
process.once("disconnect", () => process.exit());
process.channel?.unref();
