import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { threadUrl } from "../../emulator/storage/thread-url.ts";
import type { ThreadAnswer, ThreadQuestion, ThreadStart } from "./thread.ts";

/** A thread that plays scenarios or their trials. */
export function openThread(start: ThreadStart): Worker {
  return new Worker(threadUrl("bin/replay/thread"), { workerData: start });
}

/** Thrown when a thread has no result: it needed too long, or an exception ended it. */
export class ThreadEnd extends Error {}

/** As many threads as are used at the same time, at most one for each processor. */
export function createThreadPool(openThread: () => Worker) {
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
    /** Resolves with the answer of a thread. A thread without an answer in time, if it is bounded, is ended: `ThreadEnd`. */
    async ask(question: ThreadQuestion, boundMs?: number): Promise<unknown> {
      const thread = await acquire();
      const endSignal = new AbortController();
      const timer = boundMs === undefined ? undefined : setTimeout(() => endSignal.abort(), boundMs);
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
            ? `it did not end within ${Number(boundMs) / 1000} s`
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
