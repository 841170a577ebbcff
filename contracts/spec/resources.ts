import { COLUMN_NAMES, type ColumnName, FILE_COLUMNS, type FileColumnName } from "./bulk-exports/columns.ts";
import {
  assumed,
  boolean,
  dateTime,
  doc,
  type Field,
  integer,
  listOf,
  mapOf,
  maybe,
  newer,
  nullable,
  object,
  oneOf,
  optional,
  type TypeOf,
  text,
  uuid,
} from "./fields.ts";
import { EXPORT_STATUS_NAMES } from "./lifecycle.ts";
import { INTERVAL_HOURS } from "./limits.ts";

const exportField = {
  type: "string",
  enum: COLUMN_NAMES,
} as Field<ColumnName>;

const newerExportField = {
  type: "string",
  enum: Object.keys(FILE_COLUMNS),
  "x-newer-values": Object.keys(FILE_COLUMNS).filter((name) => !COLUMN_NAMES.some((each) => each === name)),
} as Field<FileColumnName>;

/** §2.4: what a destination is opened with; never part of a reply. */
export const credentials = object(
  {
    access_key_id: text(
      doc("2.4-1", "Key id that the object store knows.", { minLength: 1, maxLength: 255 }),
    ),
    secret_access_key: text(
      doc("2.4-1", "Secret that belongs to the key id.", { minLength: 1, maxLength: 2048, writeOnly: true }),
    ),
    session_token: maybe(
      text(
        doc("2.4-3", "Token of temporary credentials.", { minLength: 1, maxLength: 8192, writeOnly: true }),
      ),
    ),
  },
  doc("2.4-2", "Secrets of the object store: kept encrypted and not shown again."),
);

const configFields = {
  bucket_name: text(doc("2.4-1", "Bucket that receives the files.", { minLength: 1, maxLength: 255 })),
  prefix: text(doc("2.4-1", "Root inside the bucket; may be empty.", { maxLength: 512 })),
  region: maybe(text(doc("2.4-1", "Region of an AWS-style bucket.", { maxLength: 255 }))),
  endpoint_url: maybe(
    text(
      doc("2.4-12", "Address of an S3-compatible store other than AWS; absent for AWS-style ones.", {
        maxLength: 2048,
      }),
    ),
  ),
  include_bucket_in_prefix: maybe(
    boolean(
      doc("2.4-13", "Whether the bucket's name leads the path of each file.", {
        "x-assumption": "destination.include_bucket_in_prefix_default",
      }),
    ),
  ),
};

/** §2.4: where in which bucket the files go. */
export const destinationConfig = object(configFields);

const roleArn = newer(
  text(
    doc("2.4-1", "Role that opens the bucket, in place of credentials.", {
      pattern: "^arn:aws(-[a-z]+)*:iam::[0-9]{12}:role/[\\w+=,.@/-]{1,512}$",
      title: 'written as "arn:aws:iam::123456789012:role/exports"',
    }),
  ),
);

const newerConfig = object({ ...configFields, aws_role_arn: maybe(roleArn) });

const destinationFields = {
  destination_type: oneOf(["s3"], doc("2.4-1", "Kind of destination.")),
  display_name: text(doc("2.4-1", "Display name.", { minLength: 1, maxLength: 1024 })),
  config: destinationConfig,
};

/** §4.2: the body that creates a destination. */
export const destinationCreate = object({
  ...destinationFields,
  credentials: optional(credentials),
});

export const newerDestinationCreate = object({
  ...destinationFields,
  config: newerConfig,
  credentials: optional(credentials),
});

/** Credential rotation, beyond the specification. */
export const destinationPatch = object({ credentials }, doc("X-1", "New credentials for a destination."));

/** One of the two: the other access ends. */
export const newerDestinationPatch = object({
  credentials: optional(credentials),
  config: optional(object({ aws_role_arn: roleArn })),
});

const bookkeeping = <T>(field: Field<T>) => assumed(field, "platform.reply_fields");

const owned = {
  tenant_id: bookkeeping(uuid(doc("5-3", "Workspace that owns it."))),
  created_at: bookkeeping(dateTime(doc("4.6-1", "When it was created."))),
  updated_at: bookkeeping(dateTime(doc("4.2-1", "When it last changed."))),
};

/** §2.4: a destination as replies show it, without its credentials; of it §4.2 shows the id alone. */
export const destination = object({
  id: uuid(doc("2.4-2", "Identifier by which exports name the destination.")),
  destination_type: bookkeeping(destinationFields.destination_type),
  display_name: bookkeeping(destinationFields.display_name),
  config: bookkeeping(newerConfig),
  ...owned,
  credentials_keys: bookkeeping(
    listOf(text(), doc("2.4-2", "Names, not values, of the credentials that are kept.")),
  ),
});

const exportFields = {
  bulk_export_destination_id: uuid(doc("2.5-1", "Destination that receives the files.")),
  session_id: uuid(doc("2.5-1", "Tracing project whose rows are exported.")),
  start_time: dateTime(doc("2.5-1", "Begin of the window, in UTC.")),
};

const endTime = dateTime(doc("2.5-2", "End of the window, in UTC; a scheduled export has none."));
const filter = text(
  doc("2.5-4", "Filter expression; absent means every row.", { minLength: 1, maxLength: 65536 }),
);
const fieldListOf = <T>(field: Field<T>) =>
  listOf(
    field,
    doc("2.5-5", "Columns to write, in this order; absent means all.", { minItems: 1, uniqueItems: true }),
  );
const exportFieldList = fieldListOf(exportField);
const newerFieldList = fieldListOf(newerExportField);
const intervalHours = integer(
  doc("2.5-3", "Hours between the windows of a scheduled export.", {
    minimum: INTERVAL_HOURS.minimum,
    maximum: INTERVAL_HOURS.maximum,
  }),
);
const formatVersion = oneOf(
  ["v1", "v2_beta"],
  doc("2.5-6", "Column types and folders: v2_beta is the newer set.", {
    "x-assumption": "export.default_format_version",
    "x-beyond-values": ["v1"],
  }),
);
const compression = assumed(
  oneOf(["none", "snappy", "gzip", "zstandard"], doc("2.5-12", "Codec of the pages of a file.")),
  "export.default_compression",
);
const format = assumed(oneOf(["Parquet"], doc("2.8-1", "File format; there is one.")), "export.format");

const exportOptions = {
  end_time: maybe(endTime),
  filter: maybe(filter),
  export_fields: maybe(exportFieldList),
  interval_hours: maybe(intervalHours),
  format_version: maybe(formatVersion),
  compression: maybe(compression),
  format: maybe(format),
};

const allExperiments = newer(
  boolean(doc("2.5-1", "Whether the rows of every experiment of the workspace are exported.")),
);

/** §4.3: the body that creates an export; the handler checks what holds across its fields. */
export const bulkExportCreate = object({ ...exportFields, ...exportOptions });

export const newerBulkExportCreate = object({
  ...exportFields,
  ...exportOptions,
  session_id: maybe(exportFields.session_id),
  all_experiments: maybe(allExperiments),
  export_fields: maybe(newerFieldList),
});

/** §4.7: the one change that an export admits. */
export const bulkExportPatch = object({
  status: oneOf(["Cancelled"], doc("4.7-1", "The word that cancels an export.")),
});

const status = oneOf(
  EXPORT_STATUS_NAMES,
  doc("3.1-1", "Where it stands in its life.", { "x-assumption": "export.status_casing" }),
);

const finishedAt = bookkeeping(nullable(dateTime(doc("4.4-1", "When it reached a final status."))));

/** §2.5: an export in replies. §4.3 to §4.7 do not show which fields of the request replies repeat. */
export const bulkExport = object({
  id: uuid(doc("2.5-7", "Identifier of the export.")),
  ...owned,
  bulk_export_destination_id: bookkeeping(exportFields.bulk_export_destination_id),
  session_id: bookkeeping(nullable(exportFields.session_id)),
  all_experiments: optional(allExperiments),
  start_time: bookkeeping(exportFields.start_time),
  end_time: bookkeeping(nullable(endTime)),
  filter: bookkeeping(nullable(filter)),
  export_fields: bookkeeping(nullable(newerFieldList)),
  interval_hours: bookkeeping(nullable(intervalHours)),
  format_version: bookkeeping(nullable(formatVersion)),
  compression: nullable(compression),
  format: maybe(format),
  status,
  finished_at: finishedAt,
  source_bulk_export_id: nullable(uuid(doc("2.5-7", "Scheduled export that spawned this one."))),
});

/** §4.7: the reply of a cancellation, of which nothing is shown. */
export const stoppedExport: Field<TypeOf<typeof bulkExport>> = { ...bulkExport };

/** §2.6: how far a run has come. */
export const progress = object({
  latest_cursor: nullable(text(doc("2.6-2", "Position after the last row that is safely written."))),
  rows_exported: integer(doc("2.6-2", "Rows in the files so far.", { minimum: 0 })),
  files: listOf(text(), doc("2.6-2", "Parquet files written so far.")),
});

const ofRun = <T>(field: Field<T>) => assumed(field, "platform.run_members");

/** §2.6: a run of an export as replies show it; only `errors` and its keys are spelled there. */
export const bulkExportRun = object({
  id: ofRun(uuid(doc("2.6-2", "Identifier of the export run."))),
  bulk_export_id: bookkeeping(uuid(doc("2.6-2", "Export that it is a part of."))),
  session_id: optional(newer(exportFields.session_id)),
  status: assumed(status, "export.status_casing"),
  created_at: ofRun(owned.created_at),
  updated_at: owned.updated_at,
  finished_at: finishedAt,
  start_time: bookkeeping(dateTime(doc("2.6-1", "Begin of its part of the window, included."))),
  end_time: bookkeeping(dateTime(doc("2.6-1", "End of its part of the window, not included."))),
  rows_exported: ofRun(integer(doc("2.6-2", "Rows in its files so far.", { minimum: 0 }))),
  errors: nullable(
    mapOf(
      text({ description: "What went wrong in that attempt." }),
      doc("7.3-7", "Known errors, each under the attempt that it ended.", {
        "x-assumption": "export.errors_when_none",
        propertyNames: { pattern: "^retry_(0|[1-9][0-9]*)$" },
      }),
    ),
  ),
  metadata: ofRun(progress),
});
