import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ReadyLine } from "../../emulator/config/configuration.ts";

export const CLI = fileURLToPath(new URL("../../dist/bin/emulator.js", import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProcess {
  readonly child: ChildProcess;
  readonly ready: ReadyLine;
  readonly ended: Promise<Outcome>;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A command of a shell that limits the process, such as `ulimit -n 128`. */
  readonly limit?: string;
}

/** What a process of a test has of the environment of the run. */
export const BASE_ENVIRONMENT = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR };

const children = new Set<ChildProcess>();
const folders: string[] = [];

/** Ends what a test has started, and removes its folders. */
export function endProcesses(): void {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function workingFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  folders.push(folder);
  return folder;
}

/** Runs the built command line to its end in a process of its own, as a user would. */
export function runAlone(words: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  return launch(words, surroundings).ended;
}

/** Starts an emulator on free ports and reads its ready line. */
export async function start(words: readonly string[], surroundings: Surroundings): Promise<RunningProcess> {
  const { child, ended } = launch(["start", "--port", "0", "--json", ...words], surroundings);
  const line = await Promise.race([firstLine(child), ended]);
  if (typeof line !== "string") throw new Error(`no ready line: ${JSON.stringify(line)}`);
  return { child, ready: JSON.parse(line) as ReadyLine, ended };
}

/** Runs the built command line, without waiting for it. */
export function launch(words: readonly string[], { cwd, env = {}, limit }: Surroundings) {
  const call = [process.execPath, CLI, ...words];
  const [program = "", ...rest] = limit ? ["sh", "-c", `${limit}; exec "$0" "$@"`, ...call] : call;
  const child = spawn(program, rest, { cwd, env: { ...BASE_ENVIRONMENT, ...env } });
  children.add(child);
  return { child, ended: outcomeOf(child) };
}

/** What a process printed, once it has ended. */
export async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  children.delete(child);
  return { code, stdout, stderr };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((settle) => {
    let text = "";
    child.stdout?.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) settle(text.slice(0, text.indexOf("\n")));
    });
  });
}
