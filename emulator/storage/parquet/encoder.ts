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
import { StoreError } from "../store-error.ts";
import { threadUrl } from "../thread-url.ts";
import { encodeRequest, encodingFailureOf } from "./encode-file.ts";
import type { ThreadMessage } from "./encoder-thread.ts";

/** How many threads encode, and with how much memory each. */
export interface FileEncoderOptions {
  /** A day with fewer bytes of rows is encoded without a thread. */
  readonly smallBytes?: number;
  readonly threads?: number;
  /** The maximum heap of a thread; the rows of a file are not on it. */
  readonly heapMegabytes?: number;
}

/** The encoding threads of a process; the worlds that use them are identified by a key. */
export interface SharedEncoder {
  encode(request: FileRequest, source: PartitionSource): Promise<EncodedFile | EncodingFailure>;
  /** Ends a thread as a crash would, preferably one that works for this world. */
  endThread(world: string): Promise<void>;
  /** Fails the pending and running jobs of a world, and closes its files. */
  forget(world: string): void;
  close(): Promise<void>;
}

type Outcome = EncodedFile | EncodingFailure;

interface Job {
  readonly request: FileRequest;
  readonly source: PartitionSource;
  readonly settle: (outcome: Outcome) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  /** The world, project and day of its last job: it may still have the plan for their rows. */
  world: string | undefined;
  partition: string | undefined;
}

const MAX_SMALL_BYTES = 1024 * 1024;
const MAX_THREADS = 2;
const HEAP_MEGABYTES = 256;
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";
const CLOSED: EncodingFailure = { failure: "worker_crash", message: "the encoder was closed" };

function partitionOf({ request: { tenantId, sessionId, day }, source }: Job): string {
  return `${tenantId} ${sessionId} ${day} ${source.world}`;
}

/** The failure of a job whose thread has ended, with the reason if there is one. */
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

/** Starts a thread; `onOutcome` gets each outcome, and a last one when the thread has ended. */
function startThread(heapMegabytes: number, onOutcome: (outcome: Outcome, isOver: boolean) => void): Thread {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const worker = new Worker(threadUrl("emulator/storage/parquet/encoder-thread"), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  let error: Error | undefined;
  worker.on("message", (outcome: Outcome) => onOutcome(outcome, false));
  worker.on("error", (cause: Error) => {
    error = cause;
  });
  worker.on("exit", (code) => onOutcome(failureOf(code, error), true));
  return { worker, job: undefined, world: undefined, partition: undefined };
}

/** The thread whose end affects a world most. */
function threadToEnd(threads: Iterable<Thread>, world: string): Thread | undefined {
  const pool = [...threads];
  return (
    pool.find(({ job }) => job?.source.world === world) ??
    pool.find((thread) => thread.world === world) ??
    pool.find(({ job }) => job === undefined) ??
    pool[0]
  );
}

/** Waking a thread takes longer than encoding so few bytes. Only a thread can crash. */
function isSmall({ crash }: FileRequest, { rowFiles }: PartitionSource, maxBytes: number): boolean {
  return !crash && rowFiles.reduce((sum, { bytes }) => sum + bytes, 0) < maxBytes;
}

/** Encodes on this thread. */
async function encodeHere(request: FileRequest, source: PartitionSource): Promise<Outcome> {
  const plans = createPlans();
  try {
    return await encodeRequest(request, source, plans, () => {});
  } finally {
    plans.close();
  }
}

/** Threads that are started on demand, each with one job at a time. */
interface Threads {
  readonly all: ReadonlySet<Thread>;
  /** Starts a job on the best idle thread, or on a new one below the maximum; false if there is none. */
  start(job: Job): boolean;
  /** Ends a thread; returns the job that it had, which is not settled. */
  end(thread: Thread): Job | undefined;
}

/** `onIdle` is called when a thread has ended its job. */
function createThreads(maxThreads: number, heapMegabytes: number, onIdle: () => void): Threads {
  const threads = new Set<Thread>();

  function addThread(): Thread {
    const thread = startThread(heapMegabytes, (outcome, isOver) => {
      if (isOver) threads.delete(thread);
      endJob(thread, outcome);
    });
    threads.add(thread);
    return thread;
  }

  function endJob(thread: Thread, outcome: Outcome): void {
    const { job } = thread;
    thread.job = undefined;
    // An idle thread must not keep the process running.
    thread.worker.unref();
    job?.settle(outcome);
    onIdle();
  }

  function threadFor(partition: string): Thread | undefined {
    const idle = [...threads].filter((thread) => thread.job === undefined);
    const best = idle.find((thread) => thread.partition === partition) ?? idle[0];
    return best ?? (threads.size < maxThreads ? addThread() : undefined);
  }

  return {
    all: threads,
    start(job) {
      const partition = partitionOf(job);
      const thread = threadFor(partition);
      if (thread === undefined) return false;
      Object.assign(thread, { job, partition, world: job.source.world });
      thread.worker.ref();
      send(thread, { request: job.request, source: job.source });
      return true;
    },
    end(thread) {
      const { job } = thread;
      threads.delete(thread);
      thread.job = undefined;
      return job;
    },
  };
}

/**
 * Encodes small files here, and others in threads. Jobs wait in a queue for an idle thread, so that the end of a thread
 * fails one job only.
 */
export function createFileEncoder({
  smallBytes = MAX_SMALL_BYTES,
  threads: maxThreads = MAX_THREADS,
  heapMegabytes = HEAP_MEGABYTES,
}: FileEncoderOptions = {}): SharedEncoder {
  const threads = createThreads(maxThreads, heapMegabytes, startNext);
  let queue: Job[] = [];
  let isClosed = false;

  function startNext(): void {
    const job = queue[0];
    if (!isClosed && job !== undefined && threads.start(job)) queue.shift();
  }

  return {
    encode(request, source) {
      if (isClosed) return Promise.resolve(CLOSED);
      if (isSmall(request, source, smallBytes)) return encodeHere(request, source);
      return new Promise((settle) => {
        queue.push({ request, source, settle });
        startNext();
      });
    },
    async endThread(world) {
      const thread = threadToEnd(threads.all, world);
      if (thread === undefined) return;
      const job = threads.end(thread);
      if (job !== undefined) queue.unshift(job);
      startNext();
      await thread.worker.terminate();
    },
    forget(world) {
      const isOf = (job: Job | undefined): boolean => job?.source.world === world;
      for (const job of queue) if (isOf(job)) job.settle(CLOSED);
      queue = queue.filter((job) => !isOf(job));
      for (const thread of threads.all) {
        if (isOf(thread.job)) thread.job?.settle(CLOSED);
        send(thread, { forget: world });
      }
    },
    async close() {
      isClosed = true;
      for (const job of queue.splice(0)) job.settle(CLOSED);
      await Promise.all([...threads.all].map(({ worker }) => worker.terminate()));
    },
  };
}

/** Locates the rows of a world for an encoder thread. */
interface LocatedRows {
  /** Identifies the world. */
  readonly key: string;
  rowFiles(partition: Partition): readonly LocatedFile[];
}

/** The encoder of one world; closing it affects this world only. */
export function encoderFor(encoder: SharedEncoder, rows: LocatedRows): FileEncoder {
  let isClosed = false;
  return {
    async encode(request) {
      if (isClosed) return CLOSED;
      try {
        return await encoder.encode(request, { world: rows.key, rowFiles: rows.rowFiles(request) });
      } catch (error) {
        if (error instanceof StoreError) return encodingFailureOf(error);
        throw error;
      }
    },
    endThread: () => encoder.endThread(rows.key),
    async close() {
      isClosed = true;
      encoder.forget(rows.key);
    },
  };
}
