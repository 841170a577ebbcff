import type { Assumption } from "./assumption.ts";

/** Bodies, statuses, headers and times of every reply. */
export const PLATFORM_ASSUMPTIONS = {
  "platform.success_status": {
    section: "4.2",
    requirement: "7-1",
    choice: 200,
    reason: "No success status is shown. The public service was observed to use 200 for all.",
  },
  "platform.error_body": {
    section: "7.3",
    requirement: "7-1",
    choice: '{"detail": string}',
    reason: "The format of errors is not shown. Public clients read the member detail.",
  },
  "platform.invalid_request": {
    section: "7.3",
    requirement: "7-1",
    choice: 422,
    reason:
      "Every malformed body or parameter gets the same status, including malformed JSON and malformed ids.",
  },
  "platform.unknown_id": {
    section: "7.3",
    requirement: "7-1",
    choice: 404,
    reason: "An id that does not exist in the workspace is a 404, in the path and in a body.",
  },
  "platform.method_not_allowed": {
    section: "7.3",
    requirement: "7-1",
    choice: 405,
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
      "This is about the local disk, not the service. No request may cause a 5xx, so new data is refused before the disk is full. Reads and resets still work (a reset fails only if the list of worlds cannot be written). The S3 port answers ServiceUnavailable, as a store would.",
  },
  "platform.body_depth": {
    section: "7.3",
    requirement: "7-1",
    choice: 500,
    reason: "A limit: deeper JSON is refused with 422.",
  },
  "platform.content_type": {
    section: "4",
    requirement: "4-1",
    choice: 415,
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
  "platform.null_members": {
    section: "4",
    requirement: "7-1",
    choice: "an optional member that is null is the same as none",
    reason:
      "Only types are shown. Public clients send null for members without a value. A required region and stream_mode cannot be null.",
  },
  "platform.unlisted_path": {
    section: "1",
    requirement: "1-3",
    choice: 404,
    alternatives: [501],
    reason:
      "Only replies that the specification shows may look like a success. Public clients retry a 501 for up to 25 s, but not a 404. The body and a warning name the silent section.",
    switchable: true,
  },
  "platform.health_endpoints": {
    section: "1",
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
    section: "5",
    requirement: "5-7",
    choice: 401,
    reason: "An unidentified caller is refused before any other check.",
  },
  "platform.user_without_key": {
    section: "5",
    requirement: "5-6",
    choice: "x-user-id without a key may ingest and query while any key is accepted; bulk exports need a key",
    reason: "Otherwise the limits of users could not be reached. How a user authenticates is not shown.",
  },
  "platform.missing_tenant": {
    section: "5",
    requirement: "5-7",
    choice: 422,
    reason: "Bulk-export calls need X-Tenant-Id. A request without a required header is malformed.",
  },
  "platform.foreign_workspace": {
    section: "5",
    requirement: "5-1",
    choice: 403,
    reason: "This is for a known key without access to the workspace, and applies only if keys are listed.",
  },
  "platform.accepted_keys": {
    section: "5",
    requirement: "5-1",
    choice: "any",
    alternatives: ["keys"],
    reason: "How keys are issued is not shown. A local emulator should work with any key.",
    setting: "auth.mode",
  },
  "platform.key_region": {
    section: "1",
    requirement: "1-5",
    choice: "a key is valid in both regions unless auth.keys[].region names one",
    reason:
      "Data is stored in the region of the account. Whether a key belongs to a region is not shown. A key with a region is unknown in the other one.",
  },
  "platform.default_workspace": {
    section: "5",
    requirement: "5-6",
    choice: "the key's first",
    reason: "Ingest clients often send no X-Tenant-Id.",
  },
  "platform.workspace_separation": {
    section: "5",
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
    section: "2.6",
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
    switchable: true,
  },
  "platform.timestamp_digits": {
    section: "2.5",
    requirement: "7-1",
    choice: 6,
    reason: "Exported times have microseconds.",
  },
  "platform.default_versions": {
    section: "9",
    requirement: "9-2",
    choice: "the newest, in which every feature exists",
    reason: "The specification describes all features at once.",
    setting: "versions",
  },
  "platform.version_gate": {
    section: "9",
    requirement: "9-2",
    choice: 422,
    reason:
      "The refusal of a newer feature by an older version is not shown. The error names the version that has it.",
  },
} as const satisfies Record<string, Assumption>;
