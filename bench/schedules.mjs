import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { startEmulator } from "../dist/emulator/runtime/index.js";
import { call, median } from "./measure.mjs";
import { postOf, uuidOf } from "./rows.mjs";

const BEGIN = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const YEAR_HOURS = 8_760;
const ROWS_PER_HOUR = 5;
const ROWS_PER_REQUEST = 500;
const PROJECT = uuidOf(9, 1);

/** Cost of virtual time: a year of hourly exports in one call, a failure with all retries, a filter. */
export async function* run() {
  const one = await median3(() => yearsOf(1, 0));
  yield figure("one year of hourly scheduled exports over empty windows", one, 2);
  const two = await median3(() => yearsOf(2, 0));
  yield {
    figure: "two years of them against one",
    measured: `${(two / one).toFixed(2)} ×`,
    target: "≤ 2.2 ×",
  };
  const full = await yearsOf(1, ROWS_PER_HOUR);
  yield figure(`one year over windows with ${ROWS_PER_HOUR} rows each (8,760 files)`, full, 15);
  yield figure("a failure with 20 retries over 3 partitions", await median3(retries), 0.1);
  yield await filters();
}

function figure(name, seconds, limit) {
  const shown = (value) => (value < 1 ? `${(value * 1000).toFixed(0)} ms` : `${value.toFixed(1)} s`);
  return { figure: name, measured: shown(seconds), target: `≤ ${shown(limit)}` };
}

async function median3(measure) {
  return median([await measure(), await measure(), await measure()]);
}

async function withEmulator(act) {
  const emulator = await startEmulator({ clock: "frozen", now: iso(BEGIN) });
  try {
    const destination = await call(emulator.url, "POST", "/api/v1/bulk-exports/destinations", {
      destination_type: "s3",
      display_name: "Bench",
      config: { bucket_name: "traces", prefix: "bench", region: "us-east-1" },
      credentials: { access_key_id: "emulator", secret_access_key: "emulator-secret" },
    });
    await call(emulator.url, "POST", "/sessions", { id: PROJECT, name: "bench" });
    const order = (body) =>
      call(emulator.url, "POST", "/api/v1/bulk-exports", {
        bulk_export_destination_id: destination.id,
        session_id: PROJECT,
        start_time: iso(BEGIN),
        ...body,
      });
    return await act(emulator, order);
  } finally {
    await emulator.close();
  }
}

function yearsOf(years, rowsPerHour) {
  return withEmulator(async (emulator, order) => {
    await sendRows(emulator.url, rowsPerHour * YEAR_HOURS * years, rowsPerHour);
    const { id } = await order({ interval_hours: 1 });
    const began = performance.now();
    const moved = await emulator.clock.advance({ to: iso(BEGIN + years * YEAR_HOURS * HOUR + 11 * 60_000) });
    const seconds = (performance.now() - began) / 1000;
    const runs = await call(emulator.url, "GET", `/api/v1/bulk-exports/runs?source_bulk_export_id=${id}`);
    const done = runs.filter(
      ({ status, rows_exported }) => status === "COMPLETED" && rows_exported === rowsPerHour,
    );
    if (done.length !== YEAR_HOURS * years)
      throw new Error(`${done.length} runs, ${JSON.stringify(moved).slice(0, 300)}`);
    return seconds;
  });
}

async function sendRows(url, count, perHour) {
  for (let from = 0; from < count; from += ROWS_PER_REQUEST) {
    const post = Array.from({ length: Math.min(ROWS_PER_REQUEST, count - from) }, (_, at) => {
      const start_time = iso(BEGIN + ((from + at) / perHour) * HOUR);
      return {
        ...postOf(from + at, PROJECT),
        start_time,
        end_time: undefined,
        dotted_order: undefined,
        trace_id: undefined,
      };
    });
    await call(url, "POST", "/runs/batch", { post });
  }
}

function retries() {
  return withEmulator(async (emulator, order) => {
    await sendRows(emulator.url, 3 * 24, 1);
    const { id } = await order({ end_time: iso(BEGIN + 3 * 24 * HOUR) });
    await emulator.control("POST", "/faults", { preset: "serialization_error", times: 1000 });
    const began = performance.now();
    await emulator.clock.advance("PT1H");
    const seconds = (performance.now() - began) / 1000;
    const runs = await call(emulator.url, "GET", `/api/v1/bulk-exports/${id}/runs`);
    if (!runs.some(({ errors }) => "retry_20" in errors)) throw new Error(JSON.stringify(runs));
    return seconds;
  });
}

/** Bundles the filter language from its sources: the library does not export it. */
async function filters() {
  const contents = 'export * from "./compile.ts"; export * from "./parse.ts";';
  const resolveDir = fileURLToPath(new URL("../emulator/subjects/filters", import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  const source = Buffer.from(outputFiles[0].contents).toString("base64");
  const { compileFilter, parseFilter } = await import(`data:text/javascript;base64,${source}`);
  const test = compileFilter(parseFilter('eq(run_type, "llm")').filter);
  const rows = Array.from({ length: 1000 }, (_, number) => ({
    ...postOf(number, PROJECT),
    run_type: number % 2 ? "llm" : "chain",
  }));
  const began = performance.now();
  let passed = 0;
  let looked = 0;
  for (; performance.now() - began < 300; looked += rows.length)
    for (const row of rows) if (test(row)) passed += 1;
  if (passed * 2 !== looked) throw new Error(`${passed} of ${looked} passed`);
  const speed = looked / ((performance.now() - began) / 1000);
  return {
    figure: "simple predicates of the filter language",
    measured: `${Math.round(speed).toLocaleString("en")} rows/s`,
    target: "≥ 300,000 rows/s",
  };
}

function iso(instant) {
  return new Date(instant).toISOString();
}
