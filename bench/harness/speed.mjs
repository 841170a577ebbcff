import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "./calls.mjs";
import { launchPeer } from "./processes.mjs";
import { summary } from "./statistics.mjs";

const ROUNDS = 7;
const ITEMS = 20_000;
const REQUESTS = 2_000;

/** The machine's own speed, by processor time, so that figures of different days can be compared. */
export async function machineSpeed() {
  const folder = mkdtempSync(join(tmpdir(), "emulator-bench-"));
  try {
    const file = join(folder, "reply.json");
    writeFileSync(file, JSON.stringify(Array.from({ length: 10 }, (_, n) => ({ n, text: "x".repeat(800) }))));
    const server = await launchPeer("plain-server.mjs", "node", file);
    const order = { origin: server.url, method: "GET", path: "/", connections: 10, count: REQUESTS };
    await load(server, order);
    const { cpuMs } = await load(server, order);
    await server.stop();
    return {
      workloadMs: summary(Array.from({ length: ROUNDS }, workloadMs)).median,
      requestMicros: cpuMs === undefined ? undefined : (1_000 * cpuMs) / REQUESTS,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Always the same work: objects are sorted, written as JSON and parsed. */
function workloadMs() {
  const began = process.cpuUsage();
  const items = Array.from({ length: ITEMS }, (_, n) => ({
    id: Math.imul(n, 0x9e3779b1) >>> 0,
    tags: [`${n}`],
  }));
  items.sort((a, b) => a.id - b.id);
  JSON.parse(JSON.stringify(items));
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}
