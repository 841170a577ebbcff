/** How far the reading back of an export is. */
export interface VerificationProgress {
  readonly export_id: string;
  readonly files: number;
  readonly files_total: number;
  readonly rows: number;
}

/** How far the comparison of two worlds is: of the records of rows that only one of them has, the number that was compared. */
export interface ComparisonProgress {
  readonly a: string;
  readonly b: string;
  rows: number;
  rows_total: number;
}

/** How far the generation of sample rows is. */
export interface GenerationProgress {
  readonly project: string;
  rows: number;
  readonly rows_total: number;
}
