import { existsSync } from "node:fs";
import { PROJECT } from "../rows.mjs";
import { call, load, timed } from "./calls.mjs";
import { launchEmulator, peakMbOf } from "./processes.mjs";
import { destinationOf } from "./servers.mjs";
import { percentile } from "./statistics.mjs";

const ROWS_PER_REQUEST = 100;
const NOW = "2026-03-01T00:00:00Z";

/** In an existing folder, time continues from its stored value. */
export function launchOn(data, cli, env) {
  const now = existsSync(data) ? [] : ["--now", NOW];
  return launchEmulator(["--data", data, "--rate-limits", "off", "--clock", "frozen", ...now], env, cli);
}

/** Fills a new data folder with rows of one day; what that took and the peak of its memory. */
export async function filled(data, rows, cli, env) {
  const emulator = await launchOn(data, cli, env);
  try {
    const sample = await load(emulator, {
      origin: emulator.url,
      method: "POST",
      path: "/runs/batch",
      bodies: { kind: "batch", rows: ROWS_PER_REQUEST, session: PROJECT, from: 0 },
      count: Math.ceil(rows / ROWS_PER_REQUEST),
      itemsPerRequest: ROWS_PER_REQUEST,
    });
    return { ...sample, peakMb: peakMbOf(emulator.child.pid) };
  } finally {
    await emulator.stop();
  }
}

/**
 * Exports the day of a data folder by a process of its own, which answers other requests meanwhile; `then` is called with its id
 * before the process ends.
 */
export async function exported(data, rows, cli, env, then = () => undefined) {
  const emulator = await launchOn(data, cli, env);
  try {
    const { id, sample } = await exportDay(emulator, rows);
    await then(emulator, id);
    return { ...sample, peakMb: peakMbOf(emulator.child.pid) };
  } finally {
    await emulator.stop();
  }
}

/** Exports the day in a process that runs; the id of the export, and what it took. */
export async function exportDay(emulator, rows) {
  const { url } = emulator;
  const { id } = await call(url, "POST", "/api/v1/bulk-exports", {
    bulk_export_destination_id: await destinationOf(url),
    session_id: PROJECT,
    start_time: "2026-02-25T00:00:00Z",
    end_time: "2026-02-26T00:00:00Z",
    format_version: "v2_beta",
  });
  const waits = [];
  const sample = await timed(emulator, rows, async () => {
    let isOver = false;
    const moved = call(url, "POST", "/_emulator/v1/clock/advance", {
      until: { export: id, status: "COMPLETED" },
    }).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const asked = performance.now();
      await call(url, "GET", "/api/v1/bulk-exports");
      waits.push(performance.now() - asked);
      await Promise.race([moved, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
    if (!(await moved).reached) throw new Error("the export did not complete");
  });
  return { id, sample: { ...sample, waitMs: percentile(waits, 0.99) } };
}
