import type { Manifest } from "./pool/names.ts";
import { sizeAt } from "./pool/open-files.ts";
import { poolPath } from "./pool/pool.ts";
import { threadUrl } from "./thread-url.ts";
import { type BackgroundOrder, perform } from "./unneeded-files.ts";

/** This much is read in tens of milliseconds. A thread would finish too late when many forks follow each other quickly. */
const MAX_SYNC_BYTES = 2 * 1024 * 1024;

/** This much may be read often: in a thread it takes a fraction of a second. */
export const READ_OFTEN_BYTES = 16 * 1024 * 1024;

/**
 * Carries out an order in a thread, which the signal ends, if it reads many bytes; otherwise it is done when this returns. `onEnd`
 * receives the owners of the files that the result needs; undefined after a failure, which costs only disk space.
 */
export async function inBackground(
  order: BackgroundOrder,
  bytes: number,
  onEnd: (owners: readonly number[] | undefined) => void,
  signal?: AbortSignal,
): Promise<void> {
  onEnd(bytes > MAX_SYNC_BYTES ? await inThread(order, signal) : atOnce(order));
}

function atOnce(order: BackgroundOrder): readonly number[] | undefined {
  try {
    return perform(order);
  } catch {
    return undefined;
  }
}

function inThread(order: BackgroundOrder, signal?: AbortSignal): Promise<readonly number[] | undefined> {
  return new Promise((resolve) => {
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const thread = new Worker(threadUrl("emulator/storage/background-thread"), { workerData: order });
    thread.unref();
    thread.once("message", resolve);
    thread.once("error", () => resolve(undefined));
    thread.once("exit", () => resolve(undefined));
    signal?.addEventListener("abort", () => void thread.terminate(), { once: true });
  });
}

/** Bytes of the states and journals of these manifests. A file that several of them name counts several times. */
export function bytesToRead(root: string, manifests: readonly Manifest[]): number {
  const files = manifests.flatMap(({ state, journals }) => [state, ...journals.map(({ file }) => file)]);
  return files.reduce((sum, file) => sum + (file === null ? 0 : sizeAt(poolPath(root, file))), 0);
}
