import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, launch, launchEmulator, memoryOf, percentile } from "./measure.mjs";
import { batchBody, uuidOf } from "./rows.mjs";

const PROJECT = uuidOf(9, 1);
const ROWS_PER_REQUEST = 500;
const ALONE = fileURLToPath(new URL("./peers/writer-alone.mjs", import.meta.url));
const SIZES = (process.env.BENCH_EXPORT_ROWS ?? "200000,1000000").split(",").map(Number);

/** A whole export over HTTP, against the Parquet writer alone on rows in memory. */
export async function* run() {
  const alone = await launch(ALONE, [String(SIZES[0])]);
  const { rowsPerSecond } = JSON.parse(alone.line);
  await alone.stop();
  for (const rows of SIZES) {
    const { speed, peak, p99 } = await exportRows(rows);
    yield {
      figure: `export of ${rows.toLocaleString("en")} rows of 2.7 KB, against the Parquet writer alone`,
      measured: `${(speed / rowsPerSecond).toFixed(2)} × (${Math.round(speed).toLocaleString("en")} against ${Math.round(rowsPerSecond).toLocaleString("en")} rows/s)`,
      target: "≥ 0.75 ×",
    };
    yield { figure: `peak memory during it`, measured: `${peak.toFixed(0)} MB`, target: "≤ 400 MB" };
    yield {
      figure: "p99 of GET /api/v1/bulk-exports during it",
      measured: `${p99.toFixed(1)} ms`,
      target: "≤ 50 ms",
    };
  }
}

async function exportRows(rows) {
  const folder = await mkdtemp(join(tmpdir(), "emulator-bench-"));
  const emulator = await launchEmulator(
    "--data",
    folder,
    "--rate-limits",
    "off",
    "--clock",
    "frozen",
    "--now",
    "2026-03-01T00:00:00Z",
  );
  const { url } = emulator.ready;
  try {
    for (let from = 0; from < rows; from += ROWS_PER_REQUEST)
      await call(url, "POST", "/runs/batch", batchBody(from, ROWS_PER_REQUEST, PROJECT));
    const destination = await call(url, "POST", "/api/v1/bulk-exports/destinations", {
      destination_type: "s3",
      display_name: "Bench",
      config: { bucket_name: "traces", prefix: "bench", region: "us-east-1" },
      credentials: { access_key_id: "emulator", secret_access_key: "emulator-secret" },
    });
    const { id } = await call(url, "POST", "/api/v1/bulk-exports", {
      bulk_export_destination_id: destination.id,
      session_id: PROJECT,
      start_time: "2026-02-25T00:00:00Z",
      end_time: "2026-02-26T00:00:00Z",
      format_version: "v2_beta",
    });
    const began = performance.now();
    let over = false;
    const done = call(url, "POST", "/_emulator/v1/clock/advance", {
      until: { export: id, status: "COMPLETED" },
    }).finally(() => {
      over = true;
    });
    const waits = [];
    while (!over) {
      const asked = performance.now();
      await call(url, "GET", "/api/v1/bulk-exports");
      waits.push(performance.now() - asked);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const moved = await done;
    if (!moved.reached) throw new Error(JSON.stringify(moved));
    const seconds = (performance.now() - began) / 1000;
    return { speed: rows / seconds, peak: memoryOf(emulator.child.pid).peak, p99: percentile(waits, 0.99) };
  } finally {
    await emulator.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
