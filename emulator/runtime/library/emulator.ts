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
  /** Base address of the EU region, whose data is separate. */
  readonly euUrl: string;
  /** The `endpoint` for S3 clients, with path-style names. */
  readonly s3Url: string;
  /** The seed of ids and samples. */
  readonly seed: number;
  readonly clock: EmulatorClock;
  readonly faults: EmulatorFaults;
  readonly snapshots: EmulatorSnapshots;
  /**
   * As `fetch`, answered in this process without a socket. A path such as `/api/v1/bulk-exports` is
   * requested in the US region, with the key and the workspace of a fresh world unless others are given.
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
  /** Resets the world to its initial state, with or without the configured seed data. */
  reset(options?: { readonly empty?: boolean }): Promise<void>;
  /**
   * Creates a copy of this world, or of the world or snapshot `from` (`"seeded"` is the state with the configured seed
   * data). The two worlds are independent. `at` forks an earlier state: a turn number or an instant.
   *
   * @example
   * const before = await emulator.fork({ at: "2026-01-01T00:00:00Z" });
   */
  fork(options?: ForkOptions): Promise<Emulator>;
  /**
   * The state of this world after a turn, or at an instant (ISO 8601), for reading.
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
   * How to report a fault that was armed here, is not `optional` and was never triggered: as a warning of the process, as
   * an error with which `close` rejects after everything is closed, or not at all. By default `"warn"`, and `"error"` under `strict`.
   */
  readonly unusedFaults?: "warn" | "error" | "ignore";
}

/** An earlier state of a world; requests that write are refused (409). */
export type WorldAsOf = Pick<Emulator, "world" | "request" | "control" | "verifyExport">;

/** The source of a fork. */
export interface ForkOptions {
  /** A world or a snapshot. */
  readonly from?: string;
  /** Its name; the first free one when left out. */
  readonly id?: string;
  /** The number of a turn, or an instant (ISO 8601), in the history of the world. */
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
   * By `"6h"` or `"PT6H10M"`, or to what `POST /clock/advance` takes; says what has fired. Rejects while effects hang.
   *
   * @example
   * const { fired } = await emulator.clock.advance("6h");
   * await emulator.clock.advance({ until: "2026-03-01" });
   */
  advance(target: string | AdvanceTarget): Promise<AdvanceResult>;
  /**
   * Until an export, given by its id, has a status (COMPLETED when absent), or to a date or time; rejects with the
   * reason when the export never gets there.
   *
   * @example
   * await emulator.clock.advanceUntil(id);
   */
  advanceUntil(end: string | Date, status?: string): Promise<AdvanceResult>;
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
  /** Replaces the state of this world with a snapshot. */
  load(name: string): Promise<Snapshot>;
  /** Lists the snapshots of all worlds. */
  list(): Promise<readonly Snapshot[]>;
  remove(name: string): Promise<void>;
  /** Writes a snapshot to a file for other machines, completely or not at all. */
  export(name: string, file: string, options?: SnapshotExportOptions): Promise<void>;
  /** Imports a snapshot file; nothing changes unless the whole file is valid. */
  import(file: string, options?: SnapshotImportOptions): Promise<Snapshot>;
}

/** Facts about a snapshot. */
export type Snapshot = SnapshotView;
