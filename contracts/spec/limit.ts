/** A number with where it comes from; it is a setting under its key, below `limits` or `timings`. */
export interface Limit {
  readonly section: string;
  readonly requirement: string;
  /** Counts are numbers, durations are ISO 8601. */
  readonly value: number | string;
  /** The largest value that the setting accepts. */
  readonly maximum?: number;
  readonly unit: "count" | "bytes" | "duration" | "wall_clock_duration";
  /** The other value that the specification names for it. */
  readonly conflict?: number | string;
  /** True for a bound of ours, where the specification gives none. */
  readonly own?: true;
  readonly text: string;
}

/** Limits by their keys. */
export type LimitTable = Readonly<Record<string, Limit>>;

type Duration = { readonly unit: "duration" | "wall_clock_duration" };

/** The values of a table as they are set: durations are in milliseconds, and their names say so. */
export type LimitValues<Table extends LimitTable> = {
  readonly [Key in keyof Table & string as Table[Key] extends Duration ? `${Key}_ms` : Key]: number;
};

const bound = <Unit extends "count" | "bytes">(unit: Unit, section: string, value: number, text: string) =>
  ({ section, requirement: "X-2", value, unit, own: true, text }) as const;

/** Rows of our own, so that nothing a caller sends or leaves grows without end. */
export const count = (section: string, value: number, text: string) => bound("count", section, value, text);
export const bytes = (section: string, value: number, text: string) => bound("bytes", section, value, text);
