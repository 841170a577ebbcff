import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { load } from "../harness/calls.mjs";
import { cpuMsOf, launchEmulator } from "../harness/processes.mjs";
import { signed } from "../harness/signed.mjs";

const OBJECTS = 1_000_000;
const REQUESTS = 20_000;
const SAMPLE_MS = 20;
const CREDENTIALS = { accessKeyId: "emulator", secretAccessKey: "emulator-secret" };

/** From SIGTERM to the end of the process, with new objects that were not exported to the folder. */
export const figures = [
  {
    figure: "stop with a million new objects",
    per: "stop",
    rounds: 1,
    warmUps: 0,
    minutes: 60,
    quick: { rows: 100_000 },
    sides: ["emulator"],
    targets: [{ atMost: 5_000 }],
    open: async ({ folder, rows = OBJECTS }) => ({
      async round(_side, n) {
        const emulator = await launchEmulator(["--data", join(folder, `data-${n}`)]);
        for (let first = 0; first < rows; first += REQUESTS) await put(emulator, folder, first);
        const before = cpuMsOf(emulator.family());
        let after = before;
        // Of a process that has ended nothing can be read.
        const sampling = setInterval(() => {
          after = cpuMsOf(emulator.family()) ?? after;
        }, SAMPLE_MS);
        const began = performance.now();
        await emulator.stop();
        clearInterval(sampling);
        return { items: 1, wallMs: performance.now() - began, cpuMs: after - before };
      },
    }),
  },
];

async function put(emulator, folder, first) {
  const requests = Array.from({ length: REQUESTS }, (_, n) => ({
    method: "PUT",
    path: `/traces/${first + n}`,
    bytes: 1,
  }));
  const file = join(folder, "requests.json");
  await writeFile(file, JSON.stringify(signed(emulator.s3Url, CREDENTIALS, requests)));
  await load(emulator, { origin: emulator.s3Url, requests: file, headers: {} });
}
