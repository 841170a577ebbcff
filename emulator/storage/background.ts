import { Worker } from "node:worker_threads";
import type { WorldState } from "../kernel/commit.ts";
import type { Head } from "./pool/names.ts";
import { threadUrl } from "./thread-url.ts";

/** What a head leads to is to be written as one state. */
export interface FoldOrder {
  readonly root: string;
  /** Its journals are no longer appended to. */
  readonly head: Head;
  readonly initial: WorldState;
  /** The file of the state, in the pool. */
  readonly target: string;
}

/** The files of owners that write no more are to go, but for those that a head leads to. */
export interface SweepOrder {
  readonly root: string;
  readonly owners: readonly number[];
  readonly heads: readonly Head[];
}

export type BackgroundOrder = FoldOrder | SweepOrder;

/** Does this off the main thread, and answers whose files the result needs. Undefined when it failed, which costs nothing but disk. */
export function inBackground(order: BackgroundOrder): Promise<readonly number[] | undefined> {
  return new Promise((resolve) => {
    const thread = new Worker(threadUrl("emulator/storage/background-thread"), { workerData: order });
    thread.unref();
    thread.once("message", resolve);
    thread.once("error", () => resolve(undefined));
    thread.once("exit", () => resolve(undefined));
  });
}
