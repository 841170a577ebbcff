import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ReadyLine } from "../../emulator/config/configuration.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const HEAP_MB = 512;

/** What a server took since the last reset of its meter. */
export interface Figures {
  /** The longest time for which its event loop was blocked. */
  readonly blockedMs: number;
  /** How long its main thread had a processor; 0 where the system does not tell. */
  readonly busyMs: number;
  /** 0 where the system does not tell. */
  readonly grownBytes: number;
}

const NOTHING: Figures = { blockedMs: 0, busyMs: 0, grownBytes: 0 };

/** A server in a process with little memory that measures itself. */
export interface MeteredServer {
  readonly ready: ReadyLine;
  readonly child: ChildProcess;
  /** Zeros once the process has ended. */
  measure(message: "reset" | "read"): Promise<Figures>;
  /** Stops the process; resolved once it has ended. */
  end(): Promise<void>;
}

/** Starts the built command line with a heap of 512 MB. */
export async function startMetered(...args: readonly string[]): Promise<MeteredServer> {
  const options = [
    `--max-old-space-size=${HEAP_MB}`,
    "--expose-gc",
    "--import",
    `${ROOT}test/soak/meter.mjs`,
  ];
  const command = [...options, `${ROOT}dist/bin/emulator.js`, "start", "--json", "--port", "0"];
  const child = spawn(process.execPath, [...command, "--rate-limits", "off", ...args], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const hasEnded = once(child, "exit").then(() => [NOTHING]);
  const [line] = await once(child.stdout as NodeJS.ReadableStream, "data");
  return {
    ready: JSON.parse(String(line)) as ReadyLine,
    child,
    async measure(message) {
      if (!child.connected) return NOTHING;
      child.send(message, () => {});
      const [figures] = await Promise.race([once(child, "message"), hasEnded]);
      return figures as Figures;
    },
    async end() {
      child.kill("SIGTERM");
      await hasEnded;
    },
  };
}
