import type { Operation } from "../spec/operation.ts";
import type { Send, WireRequest } from "./http-message.ts";
import type { CaseSettings, Need } from "./needs.ts";
import type { Surface } from "./surface.ts";

/** Access to the object store that exports are written to. */
export interface ObjectStore {
  /** Keys below a prefix, sorted. */
  list(bucket: string, prefix?: string): Promise<readonly string[]>;
  get(bucket: string, key: string): Promise<Uint8Array>;
  put(bucket: string, key: string, body: string): Promise<void>;
  /** Keys of multipart uploads that were neither completed nor aborted. */
  uploads(bucket: string): Promise<readonly string[]>;
}

/** A received webhook. */
export interface Delivery {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server that receives webhooks. */
export interface Receiver {
  readonly url: string;
  /** Deliveries so far. */
  readonly deliveries: readonly Delivery[];
  /** Statuses of the next replies; 200 after them. */
  answerWith(...statuses: readonly number[]): void;
  /** Resolves as soon as so many have arrived, or with false after a wall-clock wait. */
  arrived(count: number, withinMs: number): Promise<boolean>;
  close(): Promise<void>;
}

/** Rows of a Parquet file, and how its columns are declared. */
export interface ReadFile {
  readonly columns: readonly ParquetColumn[];
  readonly codec: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** A column as its file declares it. */
export interface ParquetColumn {
  readonly name: string;
  /** Logical type where there is one, else the physical one, in capitals. */
  readonly type: string;
  readonly repeated: boolean;
}

/** A request that was drawn to be awkward. */
export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As it is sent. */
  readonly body?: string;
}

/** What the harness reaches outside of itself. */
export interface Reach {
  receiver(): Promise<Receiver>;
  parquet(bytes: Uint8Array): Promise<ReadFile>;
  /** The same seed draws the same requests. */
  fuzz(row: Operation, seed: number, count: number): Promise<readonly FuzzedRequest[]>;
  /** Resolves after a wall-clock wait; cases that have the clock never wait. */
  wait(ms: number): Promise<void>;
  /** Wall-clock time. */
  now(): number;
}

/** Who the harness is to the target, and where its exports go. */
export interface Identity {
  readonly apiKey: string;
  /** The key was made up for the run, so that reports may show it. */
  readonly isKeyPublic?: boolean;
  readonly tenantId: string;
  /** The assistant that runs are started with; one of the server's own when left out. */
  readonly assistantId?: string;
  /** A destination, a tracing project and a thread that the target has, for cases that cannot make their own. */
  readonly destinationId?: string;
  readonly sessionId?: string;
  readonly threadId?: string;
  /** Sent with every request; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly bucket: {
    readonly name: string;
    readonly region: string;
    /** Null for an AWS-style bucket, whose endpoint the region decides. */
    readonly endpointUrl: string | null;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/** The clock of a foreign server, in milliseconds. */
export interface TargetClock {
  now(): Promise<number>;
  /** Resolves after the server has done everything that is due by then. */
  advanceTo(instant: number): Promise<void>;
}

/** A target that is open for one case. */
export interface Session {
  readonly send: Send;
  /** Base address that a request goes to, to be shown. */
  readonly addressOf: (request: WireRequest) => string | undefined;
  readonly identity: Identity;
  readonly objects?: ObjectStore;
  /** What the target keeps on disk: every file as text, byte by byte. */
  readonly atRest?: () => Promise<string>;
  readonly reach: Reach;
  /** The clock of a server that has no control API of an emulator. */
  readonly clock?: TargetClock;
  /** It continues after the case, which then removes the records that it created. */
  readonly shared?: true;
  /** Which operations it has; without it all of them. */
  readonly surface?: Surface;
  /** How long something is waited for, in wall-clock milliseconds; `isSpent` after the first wait in vain. */
  readonly patience?: { readonly ms: number; isSpent: boolean };
  close(): Promise<void>;
}

/** A server under test. */
export interface Target {
  readonly name: string;
  readonly offers: ReadonlySet<Need>;
  /** Cases that may be at work at the same time. */
  readonly width: number;
  /** Of this run alone, where the target keeps the names that earlier runs have given. */
  readonly nonce?: string;
  /** What its addresses lead to, where that is gone after the run: reports say so. */
  readonly temporaryServer?: string;
  /** It is not on this machine: it is not asked without a bound. */
  readonly elsewhere?: true;
  /** Wall-clock time, for reports only. */
  now(): number;
  /** Rejects with the server's own words when it will not start with these settings. */
  open(settings?: CaseSettings): Promise<Session>;
  close(): Promise<void>;
}
