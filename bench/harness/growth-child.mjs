// One growth bench in a process of its own, whose memory is that of the items: prints what the first and the last
// tenth of them took, and the memory by item at the end of each.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { startEmulator } from "../../dist/emulator/runtime/index.mjs";
import { timedHere } from "./from-source.mjs";
import { GROWTHS } from "./growths.mjs";

const [kind, count, folder] = process.argv.slice(2);
const items = Number(count);
const { add, options = {} } = GROWTHS[kind];
const SETTLE_MS = 300;
const tenth = Math.ceil(items / 10);

// Code that has run before is faster: a first emulator warms up for the one that is measured.
await withEmulator((emulator) => grow(emulator, 0, Math.min(tenth, 5_000)));
const result = await withEmulator(async (emulator) => {
  const before = await heldBytes();
  const first = await timedHere(tenth, () => grow(emulator, 0, tenth));
  const early = (await heldBytes()) - before;
  await grow(emulator, tenth, items - tenth);
  const last = await timedHere(tenth, () => grow(emulator, items - tenth, items));
  const late = (await heldBytes()) - before;
  return {
    "first tenth": { ...first, bytes: early },
    // Its memory by item is that of all.
    "last tenth": { ...last, bytes: (late / items) * tenth },
  };
});
process.stdout.write(`${JSON.stringify(result)}\n`);
setInterval(() => {}, 1_000);

async function withEmulator(act) {
  const emulator = await startEmulator({
    ephemeral: false,
    data: mkdtempSync(join(folder, "data-")),
    clock: "frozen",
    rate_limits: { enabled: false },
    ...options,
  });
  try {
    return await act(emulator);
  } finally {
    await emulator.close();
  }
}

async function grow(emulator, from, to) {
  for (let n = from; n < to; ) n += await add(emulator, n, to - n);
}

/** What is held once work in the background is done and garbage is gone. */
async function heldBytes() {
  for (let pass = 0; pass < 3; pass += 1) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    globalThis.gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
