import { Worker } from "node:worker_threads";
import type {
  EncodedFile,
  EncodingFailure,
  FileEncoder,
  FileOrder,
} from "../../domain/bulk-exports/encoder.ts";
import { threadUrl } from "../thread-url.ts";
import type { ThreadData } from "./encoder-thread.ts";

export interface FileEncoderOptions {
  /** The folder of the trace store. */
  readonly folder: string;
  readonly threads?: number;
  /** How large the heap of a thread may become; the rows of a file are not on it. */
  readonly heapMegabytes?: number;
}

type Outcome = EncodedFile | EncodingFailure;

interface Job {
  readonly order: FileOrder;
  readonly settle: (outcome: Outcome) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  /** The project and day it read last: it may still know where their rows are. */
  partition: string | undefined;
}

const THREADS = 2;
const HEAP_MEGABYTES = 256;
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";

function partitionOf({ tenantId, sessionId, day }: FileOrder): string {
  return `${tenantId} ${sessionId} ${day}`;
}

/** The failure of a job whose thread has ended, and why it ended as far as that is known. */
function failureOf(code: number, error: (Error & { code?: string }) | undefined): EncodingFailure {
  if (error?.code === OUT_OF_MEMORY) return { failure: "resource_exhausted", message: error.message };
  return {
    failure: "worker_crash",
    message: error?.message ?? `the encoding thread ended with code ${code}`,
  };
}

/**
 * Encodes files in threads that are started when there is work. A thread has one job at a time and the
 * others wait in line, so that the end of a thread takes no job along but its own.
 */
export function createFileEncoder({
  folder,
  threads: threadsMax = THREADS,
  heapMegabytes = HEAP_MEGABYTES,
}: FileEncoderOptions): FileEncoder {
  const threads = new Set<Thread>();
  const line: Job[] = [];
  let isClosed = false;

  function startThread(): Thread {
    const data: ThreadData = { folder };
    const worker = new Worker(threadUrl("emulator/adapters/parquet/encoder-thread"), {
      workerData: data,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    const thread: Thread = { worker, job: undefined, partition: undefined };
    let error: Error | undefined;
    worker.on("message", (outcome: Outcome) => end(thread, outcome));
    worker.on("error", (cause: Error) => {
      error = cause;
    });
    worker.on("exit", (code) => {
      threads.delete(thread);
      end(thread, failureOf(code, error));
    });
    threads.add(thread);
    return thread;
  }

  function end(thread: Thread, outcome: Outcome): void {
    const { job } = thread;
    thread.job = undefined;
    // An idle thread shall not keep the process from ending.
    thread.worker.unref();
    job?.settle(outcome);
    sendNext();
  }

  /** The idle thread that suits an order best, or a new one when there may be one more. */
  function threadFor(order: FileOrder): Thread | undefined {
    const idle = [...threads].filter(({ job }) => job === undefined);
    const partition = partitionOf(order);
    const suited = idle.find((thread) => thread.partition === partition) ?? idle[0];
    return suited ?? (threads.size < threadsMax ? startThread() : undefined);
  }

  function sendNext(): void {
    const job = line[0];
    if (isClosed || job === undefined) return;
    const thread = threadFor(job.order);
    if (thread === undefined) return;
    line.shift();
    thread.job = job;
    thread.partition = partitionOf(job.order);
    thread.worker.ref();
    thread.worker.postMessage(job.order);
  }

  const closed: EncodingFailure = { failure: "worker_crash", message: "the encoder was closed" };
  return {
    encode(order) {
      if (isClosed) return Promise.resolve(closed);
      return new Promise((settle) => {
        line.push({ order, settle });
        sendNext();
      });
    },
    async endThread() {
      const all = [...threads];
      const thread = all.find(({ job }) => job !== undefined) ?? all[0];
      if (thread === undefined) return;
      threads.delete(thread);
      if (thread.job !== undefined) line.unshift(thread.job);
      thread.job = undefined;
      sendNext();
      await thread.worker.terminate();
    },
    async close() {
      isClosed = true;
      for (const job of line.splice(0)) job.settle(closed);
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}
