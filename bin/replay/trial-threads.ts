import { once } from "node:events";
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { threadUrl } from "../../emulator/storage/thread-url.ts";
import type { Planned, Subject, TrialResult, Trials } from "../../scenarios/trials.ts";
import type { ThreadAnswer, ThreadQuestion, ThreadStart } from "./trial-thread.ts";

/** Thrown when a thread has no result: it needed too long, or an exception ended it. */
class ThreadEnd extends Error {}

/** As many threads as are used at the same time, at most one for each processor. */
function createThreadPool(openThread: () => Worker) {
  const threads = new Set<Worker>();
  const idle: Worker[] = [];
  const waiting: ((thread: Worker) => void)[] = [];

  function open(): Worker {
    const thread = openThread();
    threads.add(thread);
    // A trial that is being played gets the error as well.
    thread.on("error", () => undefined);
    thread.once("exit", () => {
      threads.delete(thread);
      if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1);
    });
    return thread;
  }

  function acquire(): Worker | Promise<Worker> {
    const thread = idle.shift();
    if (thread !== undefined) return thread;
    return threads.size < availableParallelism() ? open() : new Promise((settle) => waiting.push(settle));
  }

  function release(thread: Worker): void {
    const next = waiting.shift();
    if (next) next(thread);
    else idle.unshift(thread);
  }

  return {
    /** Resolves with the answer of a thread. A thread without an answer in time is ended: `ThreadEnd`. */
    async ask(question: ThreadQuestion, boundMs: number): Promise<unknown> {
      const thread = await acquire();
      const endSignal = new AbortController();
      const timer = setTimeout(() => endSignal.abort(), boundMs);
      let answer: ThreadAnswer;
      try {
        thread.postMessage(question);
        [answer] = (await once(thread, "message", { signal: endSignal.signal })) as [ThreadAnswer];
        release(thread);
      } catch (error) {
        await thread.terminate();
        threads.delete(thread);
        if (waiting.length > 0) release(open());
        throw new ThreadEnd(
          endSignal.signal.aborted
            ? `it did not end within ${boundMs / 1000} s`
            : `an exception ended its thread: ${(error as Error).message}`,
        );
      } finally {
        clearTimeout(timer);
      }
      if ("error" in answer) throw new Error(answer.error);
      return answer.value;
    },
    async close(): Promise<void> {
      const ends = [...threads].map((thread) => {
        const exit = new Promise<void>((settle) => thread.once("exit", () => settle()));
        thread.postMessage(null);
        return exit;
      });
      await Promise.all(ends);
    },
  };
}

/** Trials that are played in threads. */
export interface SpreadTrials extends Trials {
  close(): Promise<void>;
}

export interface SpreadOptions {
  /** The subjects, which the threads play. */
  readonly subjects: readonly Pick<Subject, "name" | "file" | "again">[];
  readonly openThread: () => Worker;
  /** Milliseconds after which a trial is ended, but not before twenty times the duration of its baseline. */
  readonly limitMs?: number;
}

const LIMIT_MS = 120_000;
const PATIENCE = 20;

/** A thread that plays trials of these scenarios. */
export function openTrialThread(start: ThreadStart): Worker {
  return new Worker(threadUrl("bin/replay/trial-thread"), { workerData: start });
}

/**
 * Trials in threads, of which each plays the baselines of the subjects that it has trials of. A trial that does not
 * end is broken.
 */
export function spreadTrials({ subjects, openThread, limitMs = LIMIT_MS }: SpreadOptions): SpreadTrials {
  const pool = createThreadPool(openThread);
  const plans = new Map<number, { readonly planned: Planned; readonly durationMs: number }>();

  /** The outcome of a trial that was ended. */
  function brokenResult(at: number, trial: string, durationMs: number, why: string): TrialResult {
    const { planned } = plans.get(at) ?? {};
    const trials = planned && "trials" in planned ? planned.trials : [];
    const { section = "7.3", differs = trial, means = "" } = trials.find(({ name }) => name === trial) ?? {};
    const { name = "", file = "", again } = subjects[at] ?? {};
    return {
      ...{ subject: name, file, trial, section, differs, means, durationMs },
      verdict: "broken",
      failure: undefined,
      differences: [why],
      again: again?.(trial) ?? "",
    };
  }

  return {
    async plan(at) {
      const startedAt = performance.now();
      try {
        const planned = (await pool.ask({ subject: at, trial: undefined }, limitMs)) as Planned;
        plans.set(at, { planned, durationMs: performance.now() - startedAt });
        return planned;
      } catch (error) {
        if (!(error instanceof ThreadEnd)) throw error;
        return { refused: `its baseline: ${error.message}` };
      }
    },
    async run(at, trial) {
      const startedAt = performance.now();
      const boundMs = Math.max(limitMs, PATIENCE * (plans.get(at)?.durationMs ?? 0));
      try {
        return (await pool.ask({ subject: at, trial }, boundMs)) as TrialResult;
      } catch (error) {
        if (!(error instanceof ThreadEnd)) throw error;
        return brokenResult(at, trial, performance.now() - startedAt, error.message);
      }
    },
    close: pool.close,
  };
}
