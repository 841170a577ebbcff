import { once } from "node:events";
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import type { ThreadAnswer, ThreadQuestion } from "./trial-thread.ts";

/** Thrown when a thread was ended because it had no result in time. */
export class TrialTimeout extends Error {}

/** As many threads as are used at the same time, at most one for each processor. */
export function createThreadPool(openThread: () => Worker) {
  const threads = new Set<Worker>();
  const idle: Worker[] = [];
  const waiting: ((thread: Worker) => void)[] = [];

  function open(): Worker {
    const thread = openThread();
    threads.add(thread);
    thread.once("exit", () => threads.delete(thread));
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
    /** Resolves with the answer of a thread. A thread without an answer in time is ended: `TrialTimeout`. */
    async ask(question: ThreadQuestion, boundMs: number): Promise<unknown> {
      const thread = await acquire();
      const endSignal = new AbortController();
      const timer = setTimeout(() => endSignal.abort(), boundMs);
      try {
        thread.postMessage(question);
        const [answer] = (await once(thread, "message", { signal: endSignal.signal })) as [ThreadAnswer];
        release(thread);
        if ("error" in answer) throw new Error(answer.error);
        return answer.value;
      } catch (error) {
        if (!endSignal.signal.aborted) throw error;
        await thread.terminate();
        if (waiting.length > 0) release(open());
        throw new TrialTimeout(`it did not end within ${boundMs / 1000} s`);
      } finally {
        clearTimeout(timer);
      }
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
