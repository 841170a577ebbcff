import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ReadyLine } from "../../emulator/config/configuration.ts";

const CLI = fileURLToPath(new URL("../../dist/bin/emulator.js", import.meta.url));

export interface RunningCli {
  readonly ready: ReadyLine;
  readonly child: ChildProcess;
  /** Sends a signal and resolves with how the process ended. */
  end(
    signal: "SIGTERM" | "SIGKILL",
  ): Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** Starts the built command line on free ports and waits for its ready line. */
export function startCli(...args: readonly string[]): Promise<RunningCli> {
  return startCliIn({}, ...args);
}

/** The same with more in its environment. */
export function startCliIn(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<RunningCli> {
  const child = spawn(
    process.execPath,
    [CLI, "start", "--json", "--port", "0", "--rate-limits", "off", ...args],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } },
  );
  return new Promise((resolve, reject) => {
    let output = "";
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    child.once("exit", (code) => reject(new Error(`ended with ${code} before it was ready: ${errors}`)));
    child.stdout.on("data", (chunk) => {
      output += chunk;
      if (!output.includes("\n")) return;
      child.removeAllListeners("exit");
      resolve({ ready: JSON.parse(output), child, end: (signal) => end(child, signal) });
    });
  });
}

function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL") {
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once("exit", (code, by) => resolve({ code, signal: by }));
  });
  child.kill(signal);
  return ended;
}
