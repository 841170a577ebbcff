/** One result of a report: a contract case, a scenario or a trial. */
export interface ReportRow {
  /** Identifies the result in annotations. */
  readonly id: string;
  /** Name of the test case in JUnit. */
  readonly name: string;
  /** Class of the test case in JUnit. */
  readonly className: string;
  readonly outcome: "passed" | "failed" | "error" | "skipped";
  /** The result in the words of its harness, such as `NON-STRICT` or `drifted`. */
  readonly verdict: string;
  /** What went wrong, in one line. */
  readonly message: string;
  /** What went wrong, in full. */
  readonly details: readonly string[];
  /** Remarks that do not decide the outcome. */
  readonly remarks?: readonly string[];
  readonly durationMs?: number;
  readonly file?: { readonly path: string; readonly line?: number };
}

/** Which part of a run a report describes; `index` counts from 1. */
export interface ReportPart {
  readonly index: number;
  readonly count: number;
  /** A hash of the names of everything that all parts run, and of the options: parts of one run have the same. */
  readonly plan: string;
}

export interface ReportSuite {
  readonly name: string;
  readonly rows: readonly ReportRow[];
}

/** What a harness reports, ready for every format. Parts that only some formats need are functions. */
export interface ReportModel {
  readonly name: string;
  /** Lines printed when the report goes to a file. */
  readonly summary: readonly string[];
  readonly durationMs?: number;
  readonly part?: ReportPart;
  suites(): readonly ReportSuite[];
  pretty(): readonly string[];
  markdown(): readonly string[];
  json(): object;
}

/** `part 2 of 3, plan 1f0a…`; undefined for a report of the whole run. */
export function partLabel({ part }: ReportModel): string | undefined {
  return part === undefined || part.count === 1
    ? undefined
    : `part ${part.index} of ${part.count}, plan ${part.plan}`;
}

/** All rows of a report. */
export function rowsOf(model: ReportModel): readonly ReportRow[] {
  return model.suites().flatMap(({ rows }) => rows);
}
