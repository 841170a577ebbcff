/** What a child process is asked. */
export interface Question {
  /** The number of the active change, or -1. */
  readonly active: number;
  /** Ids of cases; undefined for all. */
  readonly cases?: readonly string[];
  /** Whether to stop at the first FAIL. */
  readonly isBail: boolean;
}

/** What it answers: each case that has ended, and then the outcome. */
export type Answer = "case" | Outcome;

export interface Outcome {
  readonly findings: readonly {
    readonly id: string;
    readonly verdict: string;
    readonly blame: string;
    readonly text: string;
  }[];
  /** Numbers of the changes whose places each case has reached. */
  readonly reached: Readonly<Record<string, readonly number[]>>;
  /** Processor time of each case, in milliseconds. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** Numbers of the changes whose places are reached when the modules are loaded. */
  readonly loaded: readonly number[];
}
