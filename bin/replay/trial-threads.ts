import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { threadUrl } from "../../emulator/storage/thread-url.ts";
import type { Planned, TrialResult, Trials } from "../../scenarios/trials.ts";
import type { ThreadAnswer, ThreadQuestion, ThreadStart } from "./trial-thread.ts";

/** Trials that are played here and in threads. */
export interface SpreadTrials extends Trials {
  close(): Promise<void>;
}

type Ask = (question: ThreadQuestion) => Promise<unknown>;

/**
 * Trials in as many threads as are used at the same time, at most one for each processor, of which this one is the
 * first: a short exploration starts no other. Each thread plays the baselines of the subjects that it has trials of.
 */
export function spreadTrials(localTrials: Trials, start: ThreadStart): SpreadTrials {
  const workers: { readonly worker: Worker; readonly ended: Promise<void> }[] = [];
  const playHere: Ask = ({ subject, trial }) =>
    trial === undefined ? localTrials.plan(subject) : localTrials.run(subject, trial);
  const idle: Ask[] = [playHere];

  function begin(): Ask {
    const worker = new Worker(threadUrl("bin/replay/trial-thread"), { workerData: start });
    // It may end with an error before `close` is called.
    workers.push({ worker, ended: new Promise((settle) => worker.once("exit", () => settle())) });
    return async (question) => {
      worker.postMessage(question);
      const [answer] = (await once(worker, "message")) as [ThreadAnswer];
      if ("error" in answer) throw new Error(answer.error);
      return answer.value;
    };
  }

  async function ask(question: ThreadQuestion): Promise<unknown> {
    const mayBegin = workers.length + 1 < availableParallelism();
    const player = idle.shift() ?? (mayBegin ? begin() : undefined);
    if (player === undefined) return playHere(question);
    try {
      return await player(question);
    } finally {
      idle.unshift(player);
    }
  }

  return {
    plan: (subject) => ask({ subject, trial: undefined }) as Promise<Planned>,
    run: (subject, trial) => ask({ subject, trial }) as Promise<TrialResult>,
    async close() {
      await Promise.all(
        workers.map(({ worker, ended }) => {
          worker.postMessage(null);
          return ended;
        }),
      );
    },
  };
}
