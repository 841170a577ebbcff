/** A range of rows: of all, or of those that contain a text, in the order of a column. */
export interface PageOf {
  readonly offset: number;
  readonly limit: number;
  readonly text?: string | undefined;
  readonly sort?: string | undefined;
  readonly order?: "asc" | "desc" | undefined;
}

/** What a Parquet file says of itself, and some of its rows; long texts are cut. */
export interface ParquetPage {
  readonly rows_total: number;
  /** How many of the rows that were read contain the text. */
  readonly rows_matching: number;
  /** How many rows a search or a sort has read; all without them. */
  readonly rows_read: number;
  readonly offset: number;
  readonly created_by: string | null;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly row_groups: readonly {
    readonly rows: number;
    readonly bytes: number;
    readonly columns: readonly {
      readonly name: string;
      readonly codec: string;
      readonly encodings: readonly string[];
      readonly bytes: number;
      readonly bytes_uncompressed: number;
      readonly min: unknown;
      readonly max: unknown;
      readonly nulls: number | null;
    }[];
  }[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}
