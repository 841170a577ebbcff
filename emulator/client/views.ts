import type { Assumption, AssumptionValue } from "../../contracts/spec/assumption.ts";
import type { AssumptionId } from "../../contracts/spec/assumptions.ts";
import type { ClockState } from "../kernel/commit.ts";

/** The base addresses of a world. */
export interface WorldAddresses {
  readonly url: string;
  readonly eu_url: string;
  readonly s3_url: string;
}

/** The members of `GET /status` that clients use. */
export interface Status extends WorldAddresses {
  readonly world: string;
  readonly pid: number;
  readonly version: string;
  readonly seed: number;
  /** Virtual time, ISO 8601. */
  readonly now: string;
  /** The number of the last turn. */
  readonly turn: number;
  /** The first point that can be asked for as of the past. */
  readonly history: { readonly earliest_turn: number; readonly earliest: string };
  /** `behind_ms`: virtual ms between `now` and where a clock that has too much to do should stand. */
  readonly clock: ClockState & { readonly behind_ms: number };
  /** What has ended the world, which changes no more; null while it lives. */
  readonly ended_by: string | null;
  /** Whether what adds to a world is refused, since the disk has no room. */
  readonly disk_full: boolean;
  readonly [fact: string]: unknown;
}

/** A row of the reply of `GET /choices`: an open choice of the specification, and what it is set to. */
export interface ChoiceView extends Assumption {
  readonly id: AssumptionId;
  readonly value: AssumptionValue;
}

/** Options for a new world; all optional. */
export interface WorldOrder {
  readonly id?: string | undefined;
  /** A world or snapshot to copy; `seeded` starts with the configured seed data. */
  readonly from?: string | undefined;
  /** The number of a turn, or an instant, in the past of that world. */
  readonly at?: number | string | undefined;
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

/** The reply of `POST /clock/advance`. */
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
  /** Only where it is not settled. */
  readonly in_flight?: readonly { readonly kind: string; readonly ref: string }[];
  /** Only for `until`. */
  readonly reached?: boolean;
  readonly why?: string;
}

/** The reply of `GET /clock`. */
export interface ClockView {
  readonly now: string;
  readonly mode: "flowing" | "frozen";
  readonly rate: number;
  readonly behind_ms: number;
  readonly next: readonly { readonly at: string; readonly kind: string; readonly ref: string }[];
  /** `next` holds the first 100 of them. */
  readonly next_total: number;
  readonly in_flight: readonly { readonly kind: string; readonly ref: string }[];
}

/** The reply of `GET /progress`: what takes long in a world. */
export interface WorkProgress {
  /** Virtual time, ISO 8601. */
  readonly now: string;
  readonly advance: {
    readonly from: string;
    /** Null for an advance by a number of events. */
    readonly to: string | null;
    readonly events: number | null;
    readonly fired_total: number;
    /** How far the export is that it waits for. */
    readonly waits_for: string | null;
  } | null;
  readonly verifications: readonly {
    readonly export_id: string;
    readonly files: number;
    readonly files_total: number;
    readonly rows: number;
  }[];
}

/** How time moves after `POST /clock/freeze` and `POST /clock/flow`. */
export interface ClockChange {
  readonly now: string;
  /** Virtual ms that were missing and are dropped. */
  readonly behind_ms: number;
}

/** Options of generated sample traces; the emulator chooses what is absent. */
export interface TraceOrder {
  readonly count: number;
  readonly project?: string;
  /** ISO 8601 times. */
  readonly from?: string;
  readonly to?: string;
  readonly seed?: number;
  readonly shape?: string;
}

/** The reply of `POST /traces/generate`. */
export interface GeneratedTraces {
  readonly count: number;
  readonly project: string;
  readonly session_id: string;
  readonly from: string;
  readonly to: string;
  readonly shape: string;
}
