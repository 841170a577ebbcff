/** How far the reading back of an export is. */
export interface VerificationProgress {
  readonly export_id: string;
  readonly files: number;
  readonly files_total: number;
  readonly rows: number;
}

/** How far the generation of sample rows is. */
export interface GenerationProgress {
  readonly project: string;
  rows: number;
  readonly rows_total: number;
}
