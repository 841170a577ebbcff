import type { FaultOrder, FaultView } from "../../client/faults.ts";
import type { AdvanceResult, AdvanceTarget } from "../../client/views.ts";
import type { SnapshotView, Verification } from "../../subjects/control-operation.ts";
import type { Control } from "./control.ts";
import type { SnapshotExportOptions, SnapshotImportOptions } from "./snapshot-files.ts";

/** A world of an emulator in this process: `main`, or one that was forked from it. */
export interface Emulator {
  /** The name of the world. */
  readonly world: string;
  /** Base address of the US region, without a slash at its end; below it, every path leads into this world. */
  readonly url: string;
  /** The same of the EU region, which sees nothing of the US one. */
  readonly euUrl: string;
  /** The `endpoint` for S3 clients, with path-style names. */
  readonly s3Url: string;
  /** What ids and samples are drawn from. */
  readonly seed: number;
  readonly clock: EmulatorClock;
  readonly faults: EmulatorFaults;
  readonly snapshots: EmulatorSnapshots;
  /**
   * As `fetch`, answered in this process without a socket. A path such as `/api/v1/bulk-exports` is
   * asked for in the US region, with the key and the workspace of a fresh world unless others are given.
   *
   * @example
   * const reply = await emulator.request("/threads", { json: {} });
   */
  request(target: string | URL | Request, init?: EmulatorRequestInit): Promise<Response>;
  /** Calls a test-only operation by its path below `/_emulator/v1`; typed by method and path. */
  readonly control: Control;
  /**
   * Reads every file of an export back and compares it with what was sent.
   *
   * @example
   * const { ok, problems } = await emulator.verifyExport(id);
   */
  verifyExport(id: string): Promise<Verification>;
  /** Makes the world equal to a fresh one, or to one without the seed data of the configuration. */
  reset(options?: { readonly empty?: boolean }): Promise<void>;
  /**
   * Another world that goes on from this one, or from the world or snapshot that `from` names (`"seeded"` is
   * as the configuration begins it), and shares nothing with it from then on. With `at`, a turn by its number or an
   * instant, it goes on from there.
   *
   * @example
   * const before = await emulator.fork({ at: "2026-01-01T00:00:00Z" });
   */
  fork(options?: ForkOptions): Promise<Emulator>;
  /**
   * This world as it was after a turn, by its number, or at an instant (ISO 8601): for reading.
   *
   * @example
   * const { now } = await emulator.at(12).control("GET", "/clock");
   */
  at(point: number | string): WorldAsOf;
  /** Ends the emulator; a forked world is only removed. */
  close(options?: CloseOptions): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How a world is ended. */
export interface CloseOptions {
  /**
   * What becomes of a fault that was armed here, is not `optional` and was never hit: a warning of the process, an error
   * that `close` rejects with once all is closed, or nothing. By default `"warn"`, and `"error"` under `strict`.
   */
  readonly unusedFaults?: "warn" | "error" | "ignore";
}

/** A world as it was; what writes is refused (409). */
export type WorldAsOf = Pick<Emulator, "world" | "request" | "control" | "verifyExport">;

/** What a world goes on from. */
export interface ForkOptions {
  /** A world or a snapshot. */
  readonly from?: string;
  /** Its name; the first free one when left out. */
  readonly id?: string;
  /** The number of a turn, or an instant (ISO 8601), in the past of the world. */
  readonly at?: number | string;
}

/** What `fetch` takes, and what saves headers in tests. */
export interface EmulatorRequestInit extends RequestInit {
  /** A value to send as JSON, instead of `body`; the method is then POST unless another is given. */
  readonly json?: unknown;
  readonly region?: "us" | "eu";
}

/** The time of a world. */
export interface EmulatorClock {
  /** Virtual time, ISO 8601. */
  now(): string;
  /** From here on time stands still until it is moved. */
  freeze(): Promise<void>;
  /** From here on time follows the wall clock, so many times as fast (1 when left out). */
  flow(rate?: number): Promise<void>;
  /**
   * By `"PT6H10M"`, or to what `POST /clock/advance` takes; says what has fired. Rejects while effects hang.
   *
   * @example
   * const { fired } = await emulator.clock.advance("PT6H");
   * await emulator.clock.advance({ until: { export: id, status: "COMPLETED" } });
   */
  advance(target: string | AdvanceTarget): Promise<AdvanceResult>;
  /**
   * Until an export is in a status (COMPLETED when left out); rejects with the reason when it never gets there.
   *
   * @example
   * await emulator.clock.advanceUntil(id);
   */
  advanceUntil(exportId: string, status?: string): Promise<AdvanceResult>;
}

/** The faults of a world. */
export interface EmulatorFaults {
  /**
   * Arms a fault; rejects when it could never be triggered.
   *
   * @example
   * await emulator.faults.arm({ preset: "worker_crash" });
   * await emulator.faults.arm({ target: "http", match: { op: "listBulkExports" }, then: { status: 503 }, times: 2 });
   */
  arm(order: FaultOrder): Promise<FaultView>;
  /** In the order of arming, each with its hits. */
  list(): Promise<readonly FaultView[]>;
  /** Takes one fault away, or all of them. */
  clear(id?: string): Promise<void>;
}

/** The snapshots of an emulator, which its worlds share. */
export interface EmulatorSnapshots {
  /**
   * Keeps this world as it is now; a snapshot of the same name is replaced, unless `replace` is false.
   *
   * @example
   * await emulator.snapshots.save("prepared");
   * await emulator.snapshots.load("prepared");
   */
  save(name: string, options?: { readonly replace?: boolean }): Promise<Snapshot>;
  /** Puts what a snapshot holds in the place of what this world holds. */
  load(name: string): Promise<Snapshot>;
  /** Those of all worlds. */
  list(): Promise<readonly Snapshot[]>;
  remove(name: string): Promise<void>;
  /** Writes one to a file that other machines can read, whole or not at all. */
  export(name: string, file: string, options?: SnapshotExportOptions): Promise<void>;
  /** Makes one of such a file; nothing changes before all of it was read and found whole. */
  import(file: string, options?: SnapshotImportOptions): Promise<Snapshot>;
}

/** What is known of a snapshot. */
export interface Snapshot {
  readonly name: string;
  /** The world that it is of. */
  readonly of: string;
  /** Virtual time, ISO 8601. */
  readonly now: string;
  /** The number of the last turn that it contains. */
  readonly turn: number;
  /** Only of one that was imported: what it has no secrets for. */
  readonly missing?: SnapshotView["missing"];
}
