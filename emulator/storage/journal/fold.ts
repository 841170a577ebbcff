import { Worker } from "node:worker_threads";
import type { WorldState } from "../../kernel/commit.ts";
import type { Head } from "../pool/names.ts";
import { poolPath } from "../pool/pool.ts";
import { threadUrl } from "../thread-url.ts";
import { readHead } from "./read-head.ts";
import { writeState } from "./state.ts";

/** What a head leads to is to be written as one state. */
export interface FoldOrder {
  readonly root: string;
  /** Its journals are no longer appended to. */
  readonly head: Head;
  readonly initial: WorldState;
  /** The file of the state, in the pool. */
  readonly target: string;
}

/** Replays the journals of a head and writes the state that they lead to. */
export function fold({ root, head, initial, target }: FoldOrder): void {
  const path = (file: string): string => poolPath(root, file);
  writeState(path(target), readHead({ path }, head, initial));
}

/** The same off the main thread. False when it failed, which costs nothing but disk: the journals stay. */
export function foldInThread(order: FoldOrder): Promise<boolean> {
  return new Promise((resolve) => {
    const thread = new Worker(threadUrl("emulator/storage/journal/fold-thread"), { workerData: order });
    thread.unref();
    thread.once("error", () => resolve(false));
    thread.once("exit", (code) => resolve(code === 0));
  });
}
