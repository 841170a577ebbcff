import { statSync } from "node:fs";
import { type BackgroundOrder, perform } from "./background-work.ts";
import type { Manifest } from "./pool/names.ts";
import { poolPath } from "./pool/pool.ts";
import { threadUrl } from "./thread-url.ts";

/** So much is read in tens of milliseconds; a thread would end after many more forks, when they follow each other quickly. */
const AT_ONCE_BYTES = 2 * 1024 * 1024;

/** So much may be read often: in a thread it takes a fraction of a second. */
export const READ_OFTEN_BYTES = 16 * 1024 * 1024;

/** Whose files the result needs; undefined when it failed, which costs nothing but disk. */
type Ended = (owners: readonly number[] | undefined) => void;

/** Does this, off the main thread if so many bytes are to be read; otherwise it has ended when this returns. */
export async function inBackground(order: BackgroundOrder, bytes: number, ended: Ended): Promise<void> {
  ended(bytes > AT_ONCE_BYTES ? await inThread(order) : atOnce(order));
}

function atOnce(order: BackgroundOrder): readonly number[] | undefined {
  try {
    return perform(order);
  } catch {
    return undefined;
  }
}

function inThread(order: BackgroundOrder): Promise<readonly number[] | undefined> {
  return new Promise((resolve) => {
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const thread = new Worker(threadUrl("emulator/storage/background-thread"), { workerData: order });
    thread.unref();
    thread.once("message", resolve);
    thread.once("error", () => resolve(undefined));
    thread.once("exit", () => resolve(undefined));
  });
}

/** How much there is to read of the records of these manifests; of what several lead to, each reads all. */
export function bytesToRead(root: string, manifests: readonly Manifest[]): number {
  const files = manifests.flatMap(({ state, journals }) => [
    ...(state === null ? [] : [state]),
    ...journals.map(({ file }) => file),
  ]);
  return files.reduce(
    (sum, file) => sum + (statSync(poolPath(root, file), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
