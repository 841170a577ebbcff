import type { AssumptionRow } from "./assumption.ts";

/** Bodies, statuses, headers and times of every reply. */
export const PLATFORM_ASSUMPTIONS = {
  "platform.success_status": {
    section: "4.2",
    requirement: "7-1",
    choice: 200,
    alternatives: [201],
    reason:
      "No success status is shown. The public service was observed to use 200 for all. The alternative applies to creations.",
  },
  "platform.error_body": {
    section: "7.3",
    requirement: "7-1",
    choice: '{"detail": string}',
    alternatives: ['{"detail": [{"msg": string}]}', '{"error": {"message": string}}'],
    reason: "The format of errors is not shown. Public clients read the member detail.",
  },
  "platform.invalid_request": {
    section: "7.3",
    requirement: "7-1",
    choice: 422,
    alternatives: [400],
    reason:
      "Every malformed body or parameter gets the same status, including malformed JSON and malformed ids.",
  },
  "platform.empty_query": {
    section: "7.3",
    requirement: "7-1",
    choice:
      "an empty list or free text in the query of a GET is the same as an absent one; an empty number, time, id or word is a 422",
    reason:
      "Public clients send stream_mode= for what their caller left out. An empty text is not an integer, and not one of the five statuses of section 4.1.",
  },
  "platform.unknown_id": {
    section: "7.3",
    requirement: "7-1",
    choice: 404,
    alternatives: [422],
    reason: "An id that does not exist in the workspace is a 404, in the path and in a body.",
  },
  "platform.conflict": {
    section: "7.3",
    requirement: "7-1",
    choice: 409,
    alternatives: [422],
    reason:
      "A thread, an assistant or a project with the id or name exists already, or the run to cancel has ended. The status is not shown.",
  },
  "platform.method_not_allowed": {
    section: "7.3",
    requirement: "7-1",
    choice: 405,
    alternatives: [404],
    reason: "HTTP has this status for a path that exists without the method.",
  },
  "platform.body_too_large": {
    section: "7.3",
    requirement: "7-1",
    choice: 413,
    reason:
      "A limit, set by limits.body_bytes. For a body of more than 256 KiB only the first problem is reported, to limit memory.",
    setting: "limits.body_bytes",
  },
  "platform.disk_full": {
    section: "7.3",
    requirement: "7-1",
    choice: 413,
    reason:
      "This is about the local disk, not the service. No API request may cause a 5xx, so new data is refused before the disk is full. Reads and resets still work (a reset fails only if the list of worlds cannot be written). Only the S3 port answers 503 (ServiceUnavailable), as a store would.",
  },
  "platform.body_depth": {
    section: "7.3",
    requirement: "7-1",
    choice: "JSON with more levels than limits.json_levels is refused with 422",
    reason: "The specification has no limit.",
    setting: "limits.json_levels",
  },
  "platform.content_type": {
    requirement: "4-1",
    choice: 415,
    alternatives: [422],
    reason: "Calls send JSON. The reply to another type of body is not shown.",
  },
  "platform.unknown_fields": {
    section: "4",
    requirement: "7-1",
    choice: "warn",
    alternatives: ["refuse"],
    reason: "Newer clients send more members than are shown. A warning names the ignored ones.",
    setting: "strict",
  },
  "platform.undefined_answers": {
    section: "4.7",
    requirement: "7-1",
    choice: "named in the journal, and with --strict also in x-emulator-warning; never refused",
    reason: "Clients need more than is shown. A test should be able to see that it relies on an assumption.",
  },
  "platform.unknown_query_parameters": {
    section: "4",
    requirement: "7-1",
    choice: "ignore",
    reason: "Clients often send further query parameters, which are harmless.",
  },
  "platform.newer_features": {
    section: "4",
    requirement: "7-1",
    choice: "refused",
    alternatives: ["accepted"],
    reason:
      "The public service documents them since 2026: config.aws_role_arn, all_experiments, the column feedbacks, and limits for exports and v2 queries. They are newer than the specification.",
    observed: "accepted",
  },
  "platform.null_members": {
    section: "4",
    requirement: "7-1",
    choice: "an optional member that is null is the same as none",
    reason:
      "Only types are shown. Public clients send null for members without a value. A required region and stream_mode cannot be null.",
  },
  "platform.unlisted_path": {
    requirement: "1-3",
    choice: 404,
    alternatives: [501],
    reason:
      "Only replies that the specification shows may look like a success. Public clients retry a 501 for up to 25 s, but not a 404. The body and a warning name the silent section.",
  },
  "platform.health_endpoints": {
    requirement: "1-3",
    choice: "/ok, /livez, /readyz, /info",
    reason: "System endpoints exist but are not shown. Clients and orchestrators use these.",
  },
  "platform.auth": {
    section: "8.5",
    requirement: "5-6",
    choice: "GET /auth answers with the key's workspace",
    reason: "The table of limits names only the path. Clients call it to check a key.",
  },
  "platform.missing_key": {
    requirement: "5-7",
    choice: 401,
    alternatives: [403],
    reason: "An unidentified caller is refused before any other check.",
  },
  "platform.user_without_key": {
    requirement: "5-6",
    choice: "x-user-id without a key may ingest and query while any key is accepted; bulk exports need a key",
    reason: "Otherwise the limits of users could not be reached. How a user authenticates is not shown.",
  },
  "platform.missing_tenant": {
    requirement: "5-7",
    choice: 422,
    alternatives: [400],
    reason: "Bulk-export calls need X-Tenant-Id. A request without a required header is malformed.",
  },
  "platform.foreign_workspace": {
    requirement: "5-1",
    choice: 403,
    alternatives: [404],
    reason: "This is for a known key without access to the workspace, and applies only if keys are listed.",
  },
  "platform.accepted_keys": {
    requirement: "5-1",
    choice: "any",
    alternatives: ["keys"],
    reason: "How keys are issued is not shown. A local emulator should work with any key.",
    setting: "auth.mode",
  },
  "platform.key_region": {
    requirement: "1-5",
    choice: "a key is valid in both regions unless auth.keys[].region names one",
    reason:
      "Data is stored in the region of the account. Whether a key belongs to a region is not shown. A key with a region is unknown in the other one.",
  },
  "platform.default_workspace": {
    requirement: "5-6",
    choice: "the key's first",
    reason: "Ingest clients often send no X-Tenant-Id.",
  },
  "platform.workspace_separation": {
    requirement: "5-3",
    choice: "404 for what belongs to another workspace",
    reason: "A workspace must not see the contents of other workspaces.",
  },
  "platform.reply_fields": {
    section: "4.7",
    requirement: "7-1",
    choice: "request fields, with null for absent ones, and bookkeeping",
    reason: "Further fields of replies are not shown. Public clients read these.",
  },
  "platform.run_members": {
    requirement: "2.6-2",
    choice: "id, status, created_at, rows_exported, metadata with latest_cursor, rows_exported and files",
    reason:
      "The section describes the members of a run, but spells only errors and retry_<n>. The other names follow its wording.",
  },
  "platform.timestamp_suffix": {
    section: "2.5",
    requirement: "7-1",
    choice: "Z",
    alternatives: ["+00:00"],
    reason: "Both spell UTC in ISO 8601. The specification does not show which one replies use.",
    observed: "+00:00",
  },
  "platform.timestamp_digits": {
    section: "2.5",
    requirement: "7-1",
    choice: 6,
    alternatives: [3],
    reason: "Exported times have microseconds.",
  },
  "platform.default_versions": {
    requirement: "9-2",
    choice: "the newest, in which every feature exists",
    reason: "The specification describes all features at once. Public clients warn about older versions.",
    setting: "versions",
  },
  "platform.version_gate": {
    requirement: "9-2",
    choice: 422,
    alternatives: [400],
    reason:
      "The refusal of a newer feature by an older version is not shown. The error names the version that has it.",
  },
} as const satisfies Record<string, AssumptionRow>;
