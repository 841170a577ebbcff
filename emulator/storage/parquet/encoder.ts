import type { Worker } from "node:worker_threads";
import type {
  EncodedFile,
  EncodingFailure,
  FileEncoder,
  FileRequest,
} from "../../subjects/bulk-exports/encoder.ts";
import type { Partition } from "../../subjects/traces/port.ts";
import type { LocatedFile } from "../rows/plan.ts";
import { createPlans, type PartitionSource } from "../rows/plans.ts";
import { threadUrl } from "../thread-url.ts";
import { encodeOrder } from "./encode-order.ts";
import type { ThreadMessage } from "./encoder-thread.ts";

/** How many threads encode, and with how much memory each. */
export interface FileEncoderOptions {
  /** Rows of a day that have fewer bytes are encoded at once, without a thread. */
  readonly smallBytes?: number;
  readonly threads?: number;
  /** How large the heap of a thread may become; the rows of a file are not on it. */
  readonly heapMegabytes?: number;
}

/** The encoding threads of a process; the worlds that use them are identified by a key. */
export interface SharedEncoder {
  encode(order: FileRequest, source: PartitionSource): Promise<EncodedFile | EncodingFailure>;
  /** Ends a thread as a crash would, if there can be a choice one that works for this world. */
  endThread(world: string): Promise<void>;
  /** Fails the pending and running jobs of a world and closes its files. */
  forget(world: string): void;
  close(): Promise<void>;
}

type Outcome = EncodedFile | EncodingFailure;

interface Job {
  readonly order: FileRequest;
  readonly source: PartitionSource;
  readonly settle: (outcome: Outcome) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  /** The world, project and day it read last: it may still know where their rows are. */
  world: string | undefined;
  partition: string | undefined;
}

const SMALL_BYTES = 1024 * 1024;
const THREADS = 2;
const HEAP_MEGABYTES = 256;
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";
const CLOSED: EncodingFailure = { failure: "worker_crash", message: "the encoder was closed" };

function partitionOf({ order: { tenantId, sessionId, day }, source }: Job): string {
  return `${tenantId} ${sessionId} ${day} ${source.world}`;
}

/** The failure of a job whose thread has ended, and why it ended as far as that is known. */
function failureOf(code: number, error: (Error & { code?: string }) | undefined): EncodingFailure {
  if (error?.code === OUT_OF_MEMORY) return { failure: "resource_exhausted", message: error.message };
  return {
    failure: "worker_crash",
    message: error?.message ?? `the encoding thread ended with code ${code}`,
  };
}

function send({ worker }: Thread, message: ThreadMessage): void {
  worker.postMessage(message);
}

/** Calls back with each outcome; with the last one, when the thread is over. */
function startThread(heapMegabytes: number, ended: (outcome: Outcome, isOver: boolean) => void): Thread {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const worker = new Worker(threadUrl("emulator/storage/parquet/encoder-thread"), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  let error: Error | undefined;
  worker.on("message", (outcome: Outcome) => ended(outcome, false));
  worker.on("error", (cause: Error) => {
    error = cause;
  });
  worker.on("exit", (code) => ended(failureOf(code, error), true));
  return { worker, job: undefined, world: undefined, partition: undefined };
}

/** The thread whose end would be felt most by a world. */
function threadToEnd(threads: Iterable<Thread>, world: string): Thread | undefined {
  const all = [...threads];
  return (
    all.find(({ job }) => job?.source.world === world) ??
    all.find((thread) => thread.world === world) ??
    all.find(({ job }) => job === undefined) ??
    all[0]
  );
}

/** Waking a thread takes longer than encoding so little; only a thread can crash. */
function isSmall({ crash }: FileRequest, { rowFiles }: PartitionSource, bytesMax: number): boolean {
  return !crash && rowFiles.reduce((sum, { bytes }) => sum + bytes, 0) < bytesMax;
}

/** Encodes on this thread. */
async function encodeHere(order: FileRequest, source: PartitionSource): Promise<Outcome> {
  const plans = createPlans();
  try {
    return await encodeOrder(order, source, plans, () => {});
  } finally {
    plans.close();
  }
}

/**
 * Encodes small files here and others in threads that are started when there is work. A thread has one job at a time and the
 * others wait in line, so that the end of a thread takes no job along but its own.
 */
export function createFileEncoder({
  smallBytes = SMALL_BYTES,
  threads: threadsMax = THREADS,
  heapMegabytes = HEAP_MEGABYTES,
}: FileEncoderOptions = {}): SharedEncoder {
  const threads = new Set<Thread>();
  let line: Job[] = [];
  let isClosed = false;

  function addThread(): Thread {
    const thread = startThread(heapMegabytes, (outcome, isOver) => {
      if (isOver) threads.delete(thread);
      end(thread, outcome);
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

  /** The idle thread that suits a job best, or a new one when there may be one more. */
  function threadFor(job: Job): Thread | undefined {
    const idle = [...threads].filter((thread) => thread.job === undefined);
    const partition = partitionOf(job);
    const suited = idle.find((thread) => thread.partition === partition) ?? idle[0];
    return suited ?? (threads.size < threadsMax ? addThread() : undefined);
  }

  function sendNext(): void {
    const job = line[0];
    if (isClosed || job === undefined) return;
    const thread = threadFor(job);
    if (thread === undefined) return;
    line.shift();
    thread.job = job;
    thread.world = job.source.world;
    thread.partition = partitionOf(job);
    thread.worker.ref();
    send(thread, { order: job.order, source: job.source });
  }

  return {
    encode(order, source) {
      if (isClosed) return Promise.resolve(CLOSED);
      if (isSmall(order, source, smallBytes)) return encodeHere(order, source);
      return new Promise((settle) => {
        line.push({ order, source, settle });
        sendNext();
      });
    },
    async endThread(world) {
      const thread = threadToEnd(threads, world);
      if (thread === undefined) return;
      threads.delete(thread);
      if (thread.job !== undefined) line.unshift(thread.job);
      thread.job = undefined;
      sendNext();
      await thread.worker.terminate();
    },
    forget(world) {
      const isOf = (job: Job | undefined): boolean => job?.source.world === world;
      for (const job of line) if (isOf(job)) job.settle(CLOSED);
      line = line.filter((job) => !isOf(job));
      for (const thread of threads) {
        if (isOf(thread.job)) thread.job?.settle(CLOSED);
        send(thread, { forget: world });
      }
    },
    async close() {
      isClosed = true;
      for (const job of line.splice(0)) job.settle(CLOSED);
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}

/** How an encoder thread finds the rows of a world. */
interface LocatedRows {
  /** Identifies the world. */
  readonly key: string;
  rowFiles(partition: Partition): readonly LocatedFile[];
}

/** The encoder as a world has it; to close it closes it for this world only. */
export function encoderFor(encoder: SharedEncoder, rows: LocatedRows): FileEncoder {
  let isClosed = false;
  return {
    encode: async (order) =>
      isClosed ? CLOSED : encoder.encode(order, { world: rows.key, rowFiles: rows.rowFiles(order) }),
    endThread: () => encoder.endThread(rows.key),
    async close() {
      isClosed = true;
      encoder.forget(rows.key);
    },
  };
}
