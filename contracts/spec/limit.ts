/** A number with where it comes from; it is a setting under its `setting`. */
export interface Limit {
  readonly section: string;
  readonly requirement: string;
  /** Counts are numbers, durations are ISO 8601. */
  readonly value: number | string;
  readonly unit: "count" | "hours" | "bytes" | "duration" | "wall_clock_duration";
  /** The other value that the specification names for it. */
  readonly conflict?: number | string;
  readonly setting: string;
  /** True for a bound of ours, where the specification gives none. */
  readonly own?: true;
  readonly text: string;
}
