import type { Assumption, AssumptionValue } from "../../contracts/spec/assumption.ts";
import type { AssumptionId } from "../../contracts/spec/assumptions.ts";
import type { FiredEvent } from "../kernel/advance.ts";
import type { ClockState } from "../kernel/commit.ts";
import type {
  ComparisonProgress,
  GenerationProgress,
  VerificationProgress,
} from "../subjects/work-progress.ts";

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
  /** Another number after each reset, load or rewind of the world. */
  readonly generation: number;
  /** The earliest point of the history. */
  readonly history: { readonly earliest_turn: number; readonly earliest: string };
  /** `behind_ms`: virtual ms between `now` and where a flowing clock should be. */
  readonly clock: ClockState & { readonly behind_ms: number };
  /** The error that ended the world, which no longer changes; null while it is live. */
  readonly ended_by: string | null;
  /** Whether requests that add data are refused because the disk is full. */
  readonly disk_full: boolean;
  readonly [fact: string]: unknown;
}

/** A row of the reply of `GET /choices`: an assumption and its value. */
export interface ChoiceView extends Assumption {
  readonly id: AssumptionId;
  readonly value: AssumptionValue;
}

/** Options for a new world; all optional. */
export interface WorldOrder {
  readonly id?: string | undefined;
  /** A world or snapshot to copy; `seeded` starts with the configured seed data. */
  readonly from?: string | undefined;
  /** The number of a turn, or an instant, in the history of that world. */
  readonly at?: number | string | undefined;
  readonly clock?: "flowing" | "frozen" | undefined;
  readonly seed?: number | undefined;
  /** Virtual time, ISO 8601. */
  readonly now?: string | undefined;
}

/** Exactly one of `by`, `to`, `next` and `until`. */
export interface AdvanceTarget {
  /** A duration: `6h`, `1d12h`, `PT6H`. */
  readonly by?: string;
  /** ISO 8601 time. */
  readonly to?: string;
  /** A number of events. */
  readonly next?: number;
  /** A date, a time, an export id, an export id and a status (COMPLETED when absent), or both as an object. */
  readonly until?: string | { readonly export: string; readonly status?: string };
  /** How far `until` looks ahead for an export, a duration. */
  readonly within?: string;
}

/** The reply of `POST /clock/advance`. */
export interface AdvanceResult {
  readonly from: string;
  readonly to: string;
  readonly fired: readonly FiredEvent[];
  /** `fired` holds the first 1,000 of them. */
  readonly fired_total: number;
  /** False when an effect did not end within its limit of wall-clock time. */
  readonly settled: boolean;
  /** The exports and agent runs that have ended, by status, with the ids of the first ten. Not in a dry run. */
  readonly ended?: readonly {
    readonly kind: "export" | "run";
    readonly status: string;
    readonly count: number;
    readonly refs: readonly string[];
  }[];
  /** Only when `settled` is false. */
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
  /** Flowing at the time of the wall clock itself. */
  readonly follows_wall: boolean;
  readonly behind_ms: number;
  readonly next: readonly { readonly at: string; readonly kind: string; readonly ref: string }[];
  /** `next` holds the first 100 of them. */
  readonly next_total: number;
  readonly in_flight: readonly { readonly kind: string; readonly ref: string }[];
}

/** The reply of `GET /progress`: long-running work in a world. */
export interface WorkProgress {
  /** Virtual time, ISO 8601. */
  readonly now: string;
  readonly advance: {
    readonly from: string;
    /** Null for an advance by a number of events. */
    readonly to: string | null;
    readonly events: number | null;
    readonly fired_total: number;
    /** The progress of the export that it waits for. */
    readonly waits_for: string | null;
  } | null;
  readonly verifications: readonly VerificationProgress[];
  readonly generations: readonly GenerationProgress[];
  readonly comparisons: readonly ComparisonProgress[];
}

/** How time moves after `POST /clock/freeze` and `POST /clock/flow`. */
export interface ClockChange {
  readonly now: string;
  /** How many virtual ms the clock was behind; they are skipped. */
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
