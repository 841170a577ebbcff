import type { AssumptionRow } from "../assumption.ts";

/** The files that exports write. */
export const EXPORT_FILE_ASSUMPTIONS = {
  "export.format": {
    section: "2.8",
    requirement: "2.5-12",
    choice: "Parquet",
    reason: "Public clients send this member. The specification has only this format.",
  },
  "export.unknown_format": {
    requirement: "2.5-6",
    choice: 422,
    reason: "The only value shown is v2_beta. A misspelt value should not be accepted.",
  },
  "export.default_format_version": {
    requirement: "2.5-9",
    choice: "v1",
    alternatives: ["v2_beta"],
    reason: "A beta has to be requested explicitly.",
  },
  "export.v1_column_types": {
    requirement: "2.5-9",
    choice: "times without zone, costs as doubles, lists and JSON as text",
    alternatives: ["those of v2_beta"],
    reason: "Types of the default format are not shown. v2_beta enhances them, so these are simpler.",
  },
  "export.v2_column_types": {
    requirement: "2.5-6",
    choice: "UTC times, costs as decimals, lists as lists, JSON columns",
    reason: "The specification mentions enhanced datatypes, but not by column.",
  },
  "export.v2_beta_folder": {
    section: "2.8",
    requirement: "2.5-11",
    choice: "runs",
    alternatives: ["resource=runs"],
    reason: "The path shape has a plain segment. A Hive reader would expect a name and a value.",
    observed: "resource=runs",
  },
  "export.partition_padding": {
    requirement: "2.8-2",
    choice: "padded",
    alternatives: ["unpadded"],
    reason: "The number of digits of months and days is not shown. Padded ones sort as text.",
    observed: "unpadded",
  },
  "export.file_name": {
    requirement: "2.8-2",
    choice: "part-00000.parquet",
    reason: "Base names are not shown. Numbered names sort and never collide.",
  },
  "export.file_paths": {
    requirement: "2.6-2",
    choice: "<bucket>/<key>",
    alternatives: ["<key>"],
    reason: "The path shape starts with the bucket, and clients find files by this path.",
  },
  "export.files_per_partition": {
    requirement: "2.8-2",
    choice: "as many as limits.rows_per_file and limits.bytes_per_file require",
    reason: "A checkpoint is saved at the end of a file.",
    setting: "limits.rows_per_file",
  },
  "export.row_order": {
    requirement: "2.8-2",
    choice: "by start_time, then id",
    alternatives: ["the latest first in each row group"],
    reason: "The order of the rows of a file is not shown. The cursor of a run (§2.6) needs a stable one.",
  },
  "export.empty_partition": {
    requirement: "2.8-2",
    choice: "a run without a file",
    reason: "The run shows that the day was processed. Readers do not need an empty file.",
  },
  "export.window_end": {
    requirement: "2.5-1",
    choice: "exclusive, while the start is inclusive; both compare the row's start_time",
    reason: "Consecutive windows of a schedule then neither overlap nor leave a gap.",
  },
  "export.partition_bounds": {
    requirement: "2.6-1",
    choice: "UTC midnights, cut at the window's start and end",
    reason: "A partition is typically a day, and the folder names are days.",
  },
  "export.default_compression": {
    requirement: "2.5-12",
    choice: "snappy",
    alternatives: ["none", "gzip", "zstandard"],
    reason: "Not in the specification. Every Parquet reader supports it.",
    observed: "zstandard",
  },
  "export.size_check": {
    requirement: "2.4-9",
    choice: "a wrong size is a storage error; without read permission the size is not checked",
    reason: "Verification is recommended. The result of a mismatch is not shown.",
  },
} as const satisfies Record<string, AssumptionRow>;
