import { setTimeout } from "node:timers/promises";
import {
  AS_OF_FLAG,
  type Command,
  type Flags,
  Interrupted,
  type Invocation,
  WORLD_FLAGS,
} from "./command.ts";
import { openProgress, type Progress } from "./progress.ts";
import { type RunningWorld, readWorld, runningWorld } from "./running.ts";
import { untilSignal } from "./signals.ts";
import { printResult } from "./terminal.ts";

/** Moving the clock and reading files may take long. */
const TIMEOUT_MS = 30 * 60_000;

/** An emulator that no longer answers does not hold a command that the user has stopped. */
const STOP_MS = 3000;

/** Of work that the emulator ends when the connection is closed. */
export const STOPPED_THERE = "and the emulator stops there";

/** Work of a command that is in progress. */
export interface Work {
  readonly progress: Progress;
  /** Sets the function that ends the work when the user stops the command. The command then waits for the result. */
  onStop(end: (() => unknown) | undefined): void;
}

/** A command that sends a request to a running emulator and prints the result. */
interface ClientCommand<T> {
  readonly summary: string;
  readonly operands?: readonly string[];
  readonly flags?: Flags;
  /** Flags that find the emulator; by default those of a world. */
  readonly where?: Flags;
  /** True for commands that can read history: they accept `--at`. */
  readonly reads?: true;
  lines(answer: T, invocation: Invocation): readonly string[];
  /** The counted noun of its progress, such as `rows`; it is shown with a rate. */
  readonly unit?: string;
  /** The effect on the work when the user stops the command; by default it may still be done. */
  readonly whenStopped?: string;
  /** The exit code is 1 when it returns false. */
  isGood?(answer: T): boolean;
}

type Sending<T> =
  | { send(world: RunningWorld, invocation: Invocation, work: Work): Promise<T> }
  /** Reads the arguments and returns the function that sends. Wrong arguments throw `UsageError` before anything is sent. */
  | { prepare(invocation: Invocation): (world: RunningWorld, work: Work) => Promise<T> };

export function clientCommand<T>(definition: ClientCommand<T> & Sending<T>): Command {
  const { summary, operands = [], flags = {}, where = WORLD_FLAGS, reads } = definition;
  return {
    summary,
    operands,
    flags: { ...flags, ...where, ...(reads && AS_OF_FLAG) },
    async run(invocation) {
      const send =
        "send" in definition
          ? (world: RunningWorld, work: Work) => definition.send(world, invocation, work)
          : definition.prepare(invocation);
      const find = reads ? readWorld : runningWorld;
      const world = await find(invocation, TIMEOUT_MS);
      const answer = await awaitAnswer(invocation, definition, `waiting for ${world.url}`, (work) =>
        send(world, work),
      );
      printResult(invocation, answer, definition.lines(answer, invocation));
      return definition.isGood?.(answer) === false ? 1 : 0;
    },
  };
}

/** The result of work after it was ended. Throws `Interrupted` when the work fails. */
async function resultAfterStop<T>(
  end: () => unknown,
  answer: Promise<T>,
  signal: NodeJS.Signals,
): Promise<T> {
  try {
    await end();
    return await answer;
  } catch (error) {
    throw new Interrupted(signal, (error as Error).message);
  }
}

async function failAfter(ms: number, error: Interrupted): Promise<never> {
  await setTimeout(ms, undefined, { ref: false });
  throw error;
}

/** Throws `Interrupted` when a signal is received first. */
async function awaitAnswer<T>(
  invocation: Invocation,
  { unit, whenStopped = "which may still be done" }: Pick<ClientCommand<T>, "unit" | "whenStopped">,
  text: string,
  send: (work: Work) => Promise<T>,
): Promise<T> {
  const progress = openProgress(invocation, unit);
  progress.show(text);
  let end: (() => unknown) | undefined;
  const answer = send({
    progress,
    onStop(ending) {
      end = ending;
    },
  });
  try {
    return await untilSignal(answer, () => `${progress.account()}, ${whenStopped}`);
  } catch (error) {
    if (!(error instanceof Interrupted) || end === undefined) throw error;
    return await Promise.race([resultAfterStop(end, answer, error.signal), failAfter(STOP_MS, error)]);
  } finally {
    progress.clear();
  }
}
