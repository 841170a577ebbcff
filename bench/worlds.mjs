import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "../dist/emulator/runtime/index.js";
import { median } from "./measure.mjs";
import { postOf, uuidOf } from "./rows.mjs";

const RECORDS = 100_000;
const FEW = 1_000;
const ROUNDS = 25;
const SEEDED_ROWS = 2_000;

/** Cost of a fork and of a reset. */
export async function* run() {
  for (const [kind, options] of [
    ["in memory", {}],
    ["in a data folder", { ephemeral: false }],
  ]) {
    const few = await measured(FEW, options);
    const many = await measured(RECORDS, options);
    yield {
      figure: `fork at ${RECORDS.toLocaleString("en")} records, ${kind}; ${ms(few.fork)} at ${FEW}`,
      measured: `${ms(many.fork)} (longest ${ms(many.longestFork)})`,
      target: "≤ 20 ms",
    };
    yield { figure: `first write in such a fork, ${kind}`, measured: ms(many.firstWrite), target: "–" };
    yield { figure: `reset, ${kind}`, measured: ms(many.reset), target: "≤ 5 ms" };
    yield {
      figure: `reset to a seeded world of ${SEEDED_ROWS} rows, ${kind}`,
      measured: ms(many.seeded),
      target: "≤ 5 ms",
    };
  }
  yield {
    figure: "another emulator in the same process, ready",
    measured: ms(await another()),
    target: "≤ 25 ms",
  };
}

async function measured(records, options) {
  return withEmulator(options, async (emulator) => {
    for (let sent = 0; sent < records; sent += 1) await emulator.request("/threads", { json: {} });
    const [fork, firstWrite] = [[], []];
    await emulator.fork();
    for (let round = 0; round < ROUNDS; round += 1) {
      await emulator.request("/threads", { json: {} });
      fork.push(await timed(() => emulator.fork({ id: `fork-${round}` })));
      const send = () =>
        emulator.request("/threads", { json: {}, headers: { "x-emulator-world": `fork-${round}` } });
      firstWrite.push(await timed(send));
    }
    const resets = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await emulator.request("/threads", { json: {} });
      resets.push(await timed(() => emulator.reset()));
    }
    return {
      fork: median(fork),
      longestFork: Math.max(...fork),
      firstWrite: median(firstWrite),
      reset: median(resets),
      seeded: await seededReset(options),
    };
  });
}

function seededReset(options) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const file = join(folder, "rows.ndjson");
  const rows = Array.from({ length: SEEDED_ROWS }, (_, n) => JSON.stringify(postOf(n, uuidOf(9, 1), 0)));
  writeFileSync(file, rows.join("\n"));
  const seed_data = { traces: [{ file, project: "seeded" }] };
  return withEmulator({ ...options, seed_data }, async (emulator) => {
    const times = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await emulator.request("/threads", { json: {} });
      times.push(await timed(() => emulator.reset()));
    }
    rmSync(folder, { recursive: true });
    return median(times);
  });
}

async function another() {
  return withEmulator({}, async () => {
    const times = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      let second;
      times.push(
        await timed(async () => {
          second = await startEmulator({ clock: "frozen" });
        }),
      );
      await second.close();
    }
    return median(times);
  });
}

async function withEmulator(options, act) {
  const data = mkdtempSync(join(tmpdir(), "bench-"));
  const emulator = await startEmulator({
    clock: "frozen",
    limits: { agent_threads: 2 * RECORDS },
    ...options,
    ...(options.ephemeral === false && { data }),
  });
  try {
    return await act(emulator);
  } finally {
    await emulator.close();
    rmSync(data, { recursive: true, force: true });
  }
}

async function timed(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

function ms(value) {
  return `${value.toFixed(1)} ms`;
}
