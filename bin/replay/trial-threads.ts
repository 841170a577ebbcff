import { performance } from "node:perf_hooks";
import type { Worker } from "node:worker_threads";
import type { Planned, Subject, TrialResult, Trials } from "../../scenarios/trials.ts";
import { createThreadPool, ThreadEnd } from "./thread-pool.ts";

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
