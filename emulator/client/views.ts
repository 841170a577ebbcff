import type { ClockState } from "../kernel/commit.ts";

/** The origins of a world; below each, every path leads into it. */
export interface WorldAddresses {
  readonly url: string;
  readonly eu_url: string;
  readonly s3_url: string;
}

/** What `GET /status` answers with, at the least. */
export interface Status extends WorldAddresses {
  readonly world: string;
  readonly pid: number;
  readonly version: string;
  readonly seed: number;
  /** Virtual time, ISO 8601. */
  readonly now: string;
  readonly clock: ClockState;
  readonly [fact: string]: unknown;
}

/** How a world is to be made; everything may be left out. */
export interface WorldOrder {
  readonly id?: string | undefined;
  /** A world or snapshot to go on from; `seeded` is as the configuration begins one. */
  readonly from?: string | undefined;
  readonly clock?: "flowing" | "frozen" | undefined;
  readonly seed?: number | undefined;
  /** Virtual time, ISO 8601. */
  readonly now?: string | undefined;
}

/** Exactly one of `by`, `to`, `next` and `until`. */
export interface AdvanceTarget {
  /** ISO 8601 duration. */
  readonly by?: string;
  /** ISO 8601 time. */
  readonly to?: string;
  /** So many events. */
  readonly next?: number;
  readonly until?: { readonly export: string; readonly status: string };
  /** How far `until` and `next` look ahead, ISO 8601 duration. */
  readonly within?: string;
}

/** What a move of the clock has made happen, as `POST /clock/advance` answers it. */
export interface AdvanceResult {
  readonly from: string;
  readonly to: string;
  readonly fired: readonly {
    readonly at: string;
    readonly kind: string;
    readonly ref: string;
    readonly cause: string;
  }[];
  /** `fired` holds the first 1,000 of them. */
  readonly fired_total: number;
  /** False when an effect hung past its bound of wall-clock time. */
  readonly settled: boolean;
  /** Only for `until`. */
  readonly reached?: boolean;
  readonly why?: string;
}

/** What `GET /clock` answers with. */
export interface ClockView {
  readonly now: string;
  readonly mode: "flowing" | "frozen";
  readonly rate: number;
  readonly next: readonly { readonly at: string; readonly kind: string; readonly ref: string }[];
  readonly in_flight: readonly { readonly kind: string; readonly ref: string }[];
}

/** Sample traces to be generated; what is left out the emulator chooses. */
export interface TraceOrder {
  readonly count: number;
  readonly project?: string;
  /** ISO 8601 times. */
  readonly from?: string;
  readonly to?: string;
  readonly seed?: number;
  readonly shape?: string;
}
