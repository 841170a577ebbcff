/** Codes of errors in a request, with their meaning and the next step. */
export const INPUT_ERRORS: Readonly<Record<string, readonly [meaning: string, nextStep: string]>> = {
  body_too_large: ["The body of the request is too large.", "Send less, or raise limits.body_bytes."],
  empty_change: ["The body changes nothing.", "Send at least one member."],
  file_too_large: ["The Parquet file is too large to list its rows.", "Raise limits.parquet_page_bytes."],
  head_too_large: ["Query and headers are too long for an inbox.", "Raise limits.webhook_inbox_characters."],
  invalid_as_of: [
    "as_of is neither a turn number nor a time with a zone.",
    "Give a turn of `emulator logs`, or a time such as 2026-01-01T00:00:00Z.",
  ],
  invalid_bucket_name: [
    "The name of the bucket is invalid.",
    "Use 3 to 63 lower-case letters, digits, dots and hyphens.",
  ],
  invalid_count: ["The number is out of range.", "Give a number in the range that the message names."],
  invalid_cron: ["The schedule of the cron is invalid.", "Give five fields, such as `0 6 * * *`."],
  invalid_cursor: ["The cursor is not one that the emulator returned.", "Begin again without a cursor."],
  invalid_duration: ["The text is not a duration longer than zero.", "Write it like 30s, 6h, 1d12h or PT6H."],
  invalid_field: ["A member of a fault has a wrong value.", "Give what the message names."],
  invalid_match: ["A member of match cannot be used in this way.", "See `emulator fault targets`."],
  invalid_name: ["The name is invalid.", "Use letters, digits, dots, underscores and hyphens."],
  invalid_request: [
    "The request has wrong, missing or conflicting members.",
    "Correct what the message names; GET /openapi.json has the schemas.",
  ],
  invalid_run: ["Trace rows have wrong or missing members.", "Correct what the message names for each row."],
  invalid_spans: [
    "The OTLP spans have wrong or missing members.",
    "Write names in lowerCamelCase, and ids in hexadecimal.",
  ],
  invalid_status: ["The status is not a whole number from 200 to 599.", "Give such a number."],
  invalid_then: ["A member of then cannot be used in this way.", "See `emulator fault targets`."],
  invalid_webhook: [
    "The webhook URL breaks a rule of \u00a76.1.",
    "`emulator webhooks check <url>` names the rule.",
  ],
  invalid_workspace: [
    "X-Tenant-Id is not a UUID.",
    "Send 00000000-0000-4000-8000-000000000001, or another UUID.",
  ],
  malformed_json: ["The body is not JSON in UTF-8.", "Correct it at the position that the message names."],
  malformed_multipart: [
    "The body is not multipart/form-data.",
    "Send the boundary in Content-Type, and a name for each part.",
  ],
  malformed_protobuf: [
    "The body is not OTLP in protobuf.",
    "Send an ExportTraceServiceRequest, or JSON with application/json.",
  ],
  metadata_too_large: [
    "Metadata, config and context are too large together.",
    "Send less, or raise limits.agent_metadata_bytes.",
  ],
  missing_body: ["The operation needs a JSON body.", "Send one, at least {}."],
  missing_credentials: [
    "The destination has no credentials (\u00a72.4).",
    "Send credentials with access_key_id and secret_access_key.",
  ],
  missing_region: [
    "The destination has neither a region nor an endpoint_url (\u00a72.4).",
    "Send config.region, or config.endpoint_url.",
  ],
  missing_workspace: [
    "The header X-Tenant-Id is missing (\u00a75).",
    "Send it; `emulator env` prints EMULATOR_TENANT_ID.",
  ],
  name_too_long: ["A name is too long for the file system.", "Use a shorter name."],
  no_such_bucket: ["The bucket does not exist.", "`emulator s3 ls` lists the buckets."],
  no_such_credential: ["The key pair does not exist.", "GET /_emulator/v1/s3/credentials lists them."],
  no_such_delivery: ["No webhook delivery has this id.", "`emulator webhooks list` lists them."],
  no_such_fault: ["No fault has this id.", "`emulator fault list` lists them."],
  no_such_object: ["The object does not exist.", "`emulator s3 ls <bucket>` lists the objects."],
  not_emulated: ["The member is not emulated.", "Leave it out."],
  not_found: [
    "No record has this id or number, or the path is not part of the API.",
    "Check the id and the path; GET /openapi.json lists the operations.",
  ],
  not_of_this_api: [
    "The request is not an operation of the API, so it cannot be checked.",
    "GET /openapi.json lists the operations.",
  ],
  not_shown: ["The operation is not emulated.", "GET /openapi.json lists the operations."],
  not_yet: ["The turn or time is in the future.", "Give one that is not."],
  too_deep: ["The body is nested too deep.", "Send a flatter body, or raise limits.json_levels."],
  too_few_descriptors: [
    "The system's limit of open files is too low.",
    "Run `ulimit -n 1024`, then start again.",
  ],
  too_many_crons: ["The workspace has too many crons.", "Delete some, or raise limits.crons_per_workspace."],
  too_many_deliveries: [
    "Too many webhook deliveries are under way.",
    "Advance the clock, or raise limits.webhook_pending.",
  ],
  too_many_events: [
    "Too many events have fired in one advance.",
    "Advance in smaller steps, or raise limits.events_per_advance.",
  ],
  too_many_exports: [
    "The workspace has created too many exports within an hour.",
    "Advance the clock, or raise limits.export_creations_per_hour.",
  ],
  too_many_faults: [
    "The world has too many faults.",
    "Remove them with `emulator fault rm --all`, or raise limits.faults.",
  ],
  too_many_items: ["The request has too many items.", "Send smaller requests, or raise limits.batch_items."],
  too_many_open_files: [
    "The process has reached its limit of open files and connections.",
    "Close connections, or raise `ulimit -n` and start again.",
  ],
  too_many_rows: [
    "The trace has more rows than one reply may have.",
    "Read it page by page with POST /api/v2/runs/query.",
  ],
  too_many_schedules: [
    "The workspace has too many active schedules.",
    "Cancel some, or raise limits.active_schedules_per_workspace.",
  ],
  too_many_scripts: ["Too many scripts are active.", "Delete some, or raise limits.agent_scripts."],
  too_many_snapshots: [
    "There are too many snapshots.",
    "Remove one with `emulator snapshot rm <name>`, or raise limits.snapshots.",
  ],
  too_many_streams: [
    "Too many requests wait for runs.",
    "Wait until one ends, or raise limits.agent_streams.",
  ],
  too_many_values: [
    "The JSON of the body has too many values.",
    "Send smaller requests, or raise the setting that the message names.",
  ],
  too_many_worlds: [
    "There are too many worlds.",
    "Remove one with `emulator world rm <id>`, or raise limits.worlds.",
  ],
  too_much_feedback: [
    "The run has too many feedback entries.",
    "Delete some, or raise limits.feedback_per_run.",
  ],
  two_hosts: ["The header Host is sent more than once.", "Send it once."],
  two_instants: ["X-Emulator-As-Of and as_of name different instants.", "Send one of them."],
  two_worlds: ["The header and the path name different worlds.", "Send one of them."],
  unknown_event: [
    "The data has an event that this version does not know.",
    "Start the version that wrote it, or use another --data folder.",
  ],
  unknown_field: ["The member does not exist.", "Correct its name, or put it where the message says."],
  unknown_fields: [
    "The request has fields that the emulator ignores, and --strict refuses them.",
    "Leave them out, or start without --strict.",
  ],
  unknown_id: [
    "The id does not occur in the history of the world.",
    "Give the id of a record, such as an export, or of a trace row, or the bucket/key of an object.",
  ],
  unknown_key: ["The key of match does not exist.", "See `emulator fault targets`."],
  unknown_operation: [
    "The operation does not exist for this target of a fault.",
    "See `emulator fault targets`, or use another target.",
  ],
  unknown_project: [
    "The project does not exist in the workspace.",
    "GET /sessions lists them; the first trace row of a project creates it.",
  ],
  unknown_secret: ["This secret is not missing.", "Supply only the secrets that the import listed."],
  unknown_snapshot: ["The snapshot does not exist.", "`emulator snapshot list` lists them."],
  unknown_source: [
    "The name is neither a world nor a snapshot.",
    "`emulator world list` and `emulator snapshot list` list the names.",
  ],
  unknown_world: ["The world does not exist.", "`emulator world list` lists them."],
  unknown_error: ["`then.error` of a fault is not a processing error.", "Use one that the message names."],
  unknown_error_code: [
    "The S3 error code does not exist.",
    "Use one that the message names, such as SlowDown.",
  ],
  unknown_point: ["The point of an export run does not exist.", "`emulator fault points` lists them."],
  unknown_preset: ["The preset does not exist.", "`emulator fault presets` lists them."],
  unknown_region: ["The region does not exist.", "Use one that the message names, or *."],
  unknown_target: ["The target of a fault does not exist.", "`emulator fault targets` lists them."],
  unknown_then: ["The member of then does not exist for this target.", "See `emulator fault targets`."],
  unsupported_by_version: [
    "The version of the server does not support the member.",
    "Leave it out, or set a newer version.",
  ],
  unsupported_media_type: [
    "The Content-Type is not supported.",
    "Send the one that the message names, usually application/json.",
  ],
  values_too_large: [
    "The values of a thread are too large.",
    "Send less, or raise the setting that the message names.",
  ],
};
