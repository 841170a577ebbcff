import type { Worker } from "node:worker_threads";
import type {
  EncodedFile,
  EncodingFailure,
  FileEncoder,
  FileRequest,
} from "../../subjects/bulk-exports/encoder.ts";
import type { PartitionSource } from "../rows/plan.ts";
import { createPlans } from "../rows/plans.ts";
import type { RowView } from "../rows/rows-as-of.ts";
import { StoreError } from "../store-error.ts";
import { threadUrl } from "../thread-url.ts";
import { encodeRequest, encodingFailureOf, endedThread, InjectedCrash } from "./encode-file.ts";
import type { ThreadMessage } from "./encoder-thread.ts";

/** How many threads encode, and with how much memory each. */
export interface FileEncoderOptions {
  /** A day with fewer bytes of rows is encoded without a thread. */
  readonly smallBytes?: number;
  readonly threads?: number;
  /** The maximum heap of a thread; the rows of a file are not on it. */
  readonly heapMegabytes?: number;
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
/** For short-lived values. The default, 48 MB, stays resident in an idle thread and makes no file faster. */
const YOUNG_MEGABYTES = 12;
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";
const CLOSED: EncodingFailure = { failure: "worker_crash", message: "the encoder was closed" };

/** The failure of a job whose thread has ended, with the reason if there is one. */
function failureOf(code: number, error: (Error & { code?: string }) | undefined): EncodingFailure {
  if (error?.code === OUT_OF_MEMORY) return { failure: "resource_exhausted", message: error.message };
  return error === undefined ? endedThread(code) : { failure: "worker_crash", message: error.message };
}

/** Starts a thread; `onOutcome` gets each outcome, and a last one when the thread has ended. */
function startThread(heapMegabytes: number, onOutcome: (outcome: Outcome, isOver: boolean) => void): Thread {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const worker = new Worker(threadUrl("emulator/storage/parquet/encoder-thread"), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  });
  let error: Error | undefined;
  worker.on("message", (outcome: Outcome) => onOutcome(outcome, false));
  worker.on("error", (cause: Error) => {
    error = cause;
  });
  worker.on("exit", (code) => onOutcome(failureOf(code, error), true));
  return { worker, job: undefined, world: undefined, partition: undefined };
}

async function encodeHere(request: FileRequest, source: PartitionSource): Promise<Outcome> {
  const plans = createPlans();
  try {
    return await encodeRequest(request, source, plans, () => {
      throw new InjectedCrash();
    });
  } finally {
    plans.close();
  }
}

/**
 * The encoding threads of a process; the worlds that use them are identified by a key. Small files are encoded without a thread.
 * Other jobs wait in a queue for an idle thread, so that the end of a thread fails one job only.
 */
export class SharedEncoder {
  readonly #options: Required<FileEncoderOptions>;
  readonly #threads = new Set<Thread>();
  #queue: Job[] = [];
  #isClosed = false;

  constructor({
    smallBytes = MAX_SMALL_BYTES,
    threads = MAX_THREADS,
    heapMegabytes = HEAP_MEGABYTES,
  }: FileEncoderOptions = {}) {
    this.#options = { smallBytes, threads, heapMegabytes };
  }

  async encode(request: FileRequest, source: PartitionSource): Promise<Outcome> {
    if (this.#isClosed) return CLOSED;
    // Waking a thread takes longer than encoding few bytes; starting another one after each injected crash, far longer.
    const sourceBytes = source.rowFiles.reduce((sum, { bytes }) => sum + bytes, 0);
    if (sourceBytes < this.#options.smallBytes) return encodeHere(request, source);
    return new Promise((settle) => {
      this.#queue.push({ request, source, settle });
      this.#startNext();
    });
  }

  /** Ends a thread as a crash would, preferably one that works for this world. Its job is repeated. */
  async endThread(world: string): Promise<void> {
    const all = [...this.#threads];
    const thread =
      all.find(({ job }) => job?.source.world === world) ??
      all.find((each) => each.world === world) ??
      all.find(({ job }) => job === undefined) ??
      all[0];
    if (thread === undefined) return;
    this.#threads.delete(thread);
    if (thread.job !== undefined) this.#queue.unshift(thread.job);
    thread.job = undefined;
    this.#startNext();
    await thread.worker.terminate();
  }

  /** Fails the pending and running jobs of a world, and closes its files. */
  forget(world: string): void {
    const isOf = (job: Job | undefined): boolean => job?.source.world === world;
    for (const job of this.#queue) if (isOf(job)) job.settle(CLOSED);
    this.#queue = this.#queue.filter((job) => !isOf(job));
    for (const { job, worker } of this.#threads) {
      if (isOf(job)) job?.settle(CLOSED);
      worker.postMessage({ forget: world } satisfies ThreadMessage);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue.splice(0)) job.settle(CLOSED);
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #startNext(): void {
    const [job] = this.#queue;
    const thread = job && !this.#isClosed && this.#threadFor(job);
    if (!thread) return;
    this.#queue.shift();
    const { request, source } = job;
    thread.worker.ref();
    thread.worker.postMessage({ request, source } satisfies ThreadMessage);
  }

  /** Gives a job to the best idle thread, or to a new one below the maximum; undefined if there is none. */
  #threadFor(job: Job): Thread | undefined {
    const { tenantId, sessionId, day } = job.request;
    const { world } = job.source;
    const partition = `${tenantId} ${sessionId} ${day} ${world}`;
    const idle = [...this.#threads].filter((thread) => thread.job === undefined);
    const best = idle.find((thread) => thread.partition === partition) ?? idle[0];
    const thread = best ?? (this.#threads.size < this.#options.threads ? this.#addThread() : undefined);
    return thread && Object.assign(thread, { job, partition, world });
  }

  #addThread(): Thread {
    const thread = startThread(this.#options.heapMegabytes, (outcome, isOver) => {
      if (isOver) this.#threads.delete(thread);
      const { job } = thread;
      thread.job = undefined;
      // An idle thread must not keep the process running.
      thread.worker.unref();
      job?.settle(outcome);
      this.#startNext();
    });
    this.#threads.add(thread);
    return thread;
  }
}

/** The encoder of one world; closing it affects this world only. */
export function encoderFor(encoder: SharedEncoder, rows: Pick<RowView, "key" | "location">): FileEncoder {
  let isClosed = false;
  return {
    async encode(request) {
      if (isClosed) return CLOSED;
      try {
        return await encoder.encode(request, rows.location(request));
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
