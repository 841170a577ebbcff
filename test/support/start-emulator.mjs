// The built emulator as a process of its own, for scripts.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../dist/bin/emulator.js", import.meta.url));

/** Starts it on free ports with a data folder of its own; answers with its ready line and how it is stopped. */
export async function startEmulator(flags = []) {
  const data = mkdtempSync(join(tmpdir(), "emulator-"));
  const words = [PROGRAM, "start", "--json", "--port", "0", "--data", join(data, "data"), ...flags];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const failed = ended.then(([code]) => Promise.reject(new Error(`The emulator ended with ${code}.`)));
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), failed]);
  failed.catch(() => undefined);
  return {
    ready: JSON.parse(line),
    async stop() {
      child.kill();
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}
