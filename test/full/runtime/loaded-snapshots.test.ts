import { join } from "node:path";
import { expect, test } from "vitest";
import { startEmulator } from "../../../emulator/runtime/index.ts";
import { temporaryFolder } from "../../storage/rows/open-store.ts";
import { usageOf } from "../../support/process-usage.ts";

/** One file that is left each time is more than may be. */
const SAVED_AND_LOADED = 20;
/** A state, a journal and a snapshot, for the world before and for the loaded one. */
const FILES_OF_ONE = 6;

/** The records of the larger one are folded off the main thread. */
test.each([1, 5])(
  "a snapshot of %i MiB of records that is saved and loaded repeatedly leaves at most three times the live files",
  async (mebibytes) => {
    const data = temporaryFolder();
    await using emulator = await startEmulator({ data });
    const text = "x".repeat(64 * 1024);
    for (let n = 0; n < 17 * mebibytes; n += 1) await createThread(emulator.url, { text });

    let most = 0;
    for (let n = 0; n < SAVED_AND_LOADED; n += 1) {
      await createThread(emulator.url, { n });
      await emulator.snapshots.save("kept");
      await emulator.snapshots.load("kept");
      most = Math.max(most, usageOf(join(data, "pool")).files);
    }

    expect(usageOf(join(data, "pool")).bytes).toBeGreaterThan(mebibytes * 1024 * 1024);
    expect(most).toBeLessThanOrEqual(3 * FILES_OF_ONE);
  },
);

async function createThread(url: string, metadata: object): Promise<void> {
  const reply = await fetch(`${url}/threads`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata }),
  });
  expect(reply.status).toBe(200);
}
