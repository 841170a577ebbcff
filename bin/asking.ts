import { AS_OF_FLAG, type Command, type Flags, type Invocation, WORLD_FLAGS } from "./command.ts";
import { type RunningWorld, readWorld, runningWorld } from "./running.ts";
import { printResult, withProgress } from "./terminal.ts";

/** Moving the clock and reading files may take long. */
const TIMEOUT_MS = 30 * 60_000;

/** A command that asks a running emulator one thing and prints the answer. */
interface Question<T> {
  readonly summary: string;
  readonly operands?: readonly string[];
  readonly flags?: Flags;
  /** Flags that find what is asked; by default those of a world. */
  readonly where?: Flags;
  /** True for what can be asked as of the past: it takes `--at`. */
  readonly reads?: true;
  /** Reads the arguments, then gives what asks: wrong arguments throw `UsageError` before anything is sent. */
  ask(invocation: Invocation): (world: RunningWorld) => Promise<T>;
  lines(answer: T, invocation: Invocation): readonly string[];
  /** Whether the answer is a success; the exit code is 1 otherwise. */
  isGood?(answer: T): boolean;
}

/** Makes a command of a question. */
export function asking<T>(question: Question<T>): Command {
  const { summary, operands = [], flags = {}, where = WORLD_FLAGS, reads } = question;
  return {
    summary,
    operands,
    flags: { ...flags, ...where, ...(reads && AS_OF_FLAG) },
    async run(invocation) {
      const ask = question.ask(invocation);
      const find = reads ? readWorld : runningWorld;
      const world = await find(invocation, TIMEOUT_MS);
      const answer = await withProgress(invocation, `asking ${world.url}`, ask(world));
      printResult(invocation, answer, question.lines(answer, invocation));
      return question.isGood?.(answer) === false ? 1 : 0;
    },
  };
}
