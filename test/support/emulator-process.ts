import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ReadyLine } from "../../emulator/config/configuration.ts";
import { isFull } from "./depth.ts";

export const CLI = fileURLToPath(new URL("../../dist/bin/emulator.js", import.meta.url));

const COMMAND_PROCESS = fileURLToPath(new URL("command-process.mjs", import.meta.url));

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

interface Surroundings {
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

/** Commands that leave their standard streams to others, or work until they are ended. */
const ALONE = ["start", "exec"];

/** Runs the built command line to its end: in a process that it shares with others before it, those of `ALONE` aside. */
export function run(words: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  return ALONE.includes(words[0] ?? "start") ? runAlone(words, surroundings) : runShared(words, surroundings);
}

/** The same as a user would: in a process of its own. */
export function runAlone(words: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  return launch(words, surroundings).ended;
}

/** The same in a process that commands share, which runs one at a time. With `TEST_DEPTH=full` each command once runs alone. */
export async function runShared(words: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  if (isFull && isFirstOf(words)) return runAlone(words, surroundings);
  const child = idle.pop() ?? startShared();
  const outcome = await answerOf(child, words, surroundings);
  idle.push(child);
  return outcome;
}

/** The commands that this process of the tests has run alone. */
const ranAlone = new Set<string>();

/** Whether a command is called for the first time, whatever follows its name. */
function isFirstOf([command = ""]: readonly string[]): boolean {
  const isFirst = !ranAlone.has(command);
  ranAlone.add(command);
  return isFirst;
}

/** Processes for commands that have nothing to do. */
const idle: ChildProcess[] = [];

/** Starts a process that commands share, which ends with this one. */
function startShared(): ChildProcess {
  const child = fork(COMMAND_PROCESS, { env: BASE_ENVIRONMENT });
  child.unref();
  child.channel?.unref();
  return child;
}

function answerOf(child: ChildProcess, words: readonly string[], { cwd, env }: Surroundings) {
  return new Promise<Outcome>((settle, fail) => {
    const onExit = (code: number | null) =>
      fail(new Error(`${words.join(" ")}: ended its process with ${code}; let it run alone`));
    child.once("exit", onExit).once("message", (answer: Outcome) => {
      child.off("exit", onExit);
      settle(answer);
    });
    child.send({ words, cwd, env: { ...BASE_ENVIRONMENT, ...env } });
  });
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
