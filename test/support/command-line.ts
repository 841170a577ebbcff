import { Writable } from "node:stream";
import { runCommandLine } from "../../bin/main.ts";
import { ENDING_SIGNALS } from "../../bin/signals.ts";
import { BASE_ENVIRONMENT, CLI, type Outcome, runAlone, type Surroundings } from "./emulator-process.ts";

const pieces = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
let last: Promise<unknown> = Promise.resolve();

/** Commands that leave their standard streams to others, or work until they are ended. */
const ALONE = ["start", "exec"];

/** Runs a command line to its end: in this process, after those before it, except for those of `ALONE`. */
export function run(words: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  return ALONE.includes(words[0] ?? "start") ? runAlone(words, surroundings) : runHere(words, surroundings);
}

/** The same in this process for every command: one of `ALONE` has to refuse its words. */
export function runHere(words: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  const outcome = last.then(() => runNow(words, surroundings));
  last = outcome.catch(() => undefined);
  return outcome;
}

async function runNow(words: readonly string[], { cwd, env }: Surroundings): Promise<Outcome> {
  const { argv, env: environment, exitCode } = process;
  const [folder, removeListeners] = [process.cwd(), rememberListeners()];
  for (const name of ["stdout", "stderr"] as const) pieces[name] = [];
  process.chdir(cwd);
  process.env = { ...BASE_ENVIRONMENT, ...env };
  process.argv = [process.execPath, CLI, ...words];
  isRunning = true;
  try {
    await runCommandLine();
    const code = Number(process.exitCode);
    return { code, stdout: textOf("stdout"), stderr: textOf("stderr") };
  } finally {
    isRunning = false;
    Object.assign(process, { argv, env: environment, exitCode });
    process.chdir(folder);
    removeListeners();
  }
}

/** A function that removes the listeners for signals that come after this call: commands listen until their process ends. */
export function rememberListeners(): () => void {
  const before = ENDING_SIGNALS.map((name) => process.listeners(name));
  return () => {
    for (const [at, name] of ENDING_SIGNALS.entries())
      for (const listener of process.listeners(name))
        if (!before[at]?.includes(listener)) process.off(name, listener);
  };
}

let isRunning = false;

/** Commands keep the stream that they find first, so it stays, and passes on what others write. */
for (const name of ["stdout", "stderr"] as const) {
  const original = process[name];
  const stream = new Writable({
    write(piece: Buffer, _, done) {
      if (!isRunning) return void original.write(piece, done);
      pieces[name].push(piece);
      done();
    },
  });
  Object.defineProperty(process, name, { value: stream, configurable: true });
}

function textOf(name: "stdout" | "stderr"): string {
  return Buffer.concat(pieces[name]).toString("utf8");
}
