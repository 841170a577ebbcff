import type { AssumptionRow } from "../assumption.ts";

/** Destinations and their validation. */
export const DESTINATION_ASSUMPTIONS = {
  "destination.error_status": {
    section: "7.2",
    requirement: "7-1",
    choice: 400,
    alternatives: [422],
    reason: "The object store refuses the validation; the request itself is well-formed.",
  },
  "destination.error_prefix": {
    requirement: "7.2-1",
    choice: "Failed to validate S3 destination: ",
    alternatives: ["Destination is not valid: "],
    reason: "The names of the errors are shown, but not the surrounding text.",
  },
  "destination.error_overlap": {
    requirement: "7.2-2",
    choice: "denied put and wrong secret: Access denied; missing bucket: Bucket is not valid",
    reason: "The causes overlap: the first and the second error both mention missing write permission.",
  },
  "destination.no_object_store": {
    requirement: "7.2-1",
    choice: "Invalid endpoint, if the destination has an endpoint_url",
    reason:
      "A server that does not answer as S3 in time is not an S3-compatible endpoint. For destinations without an endpoint, no other name is shown.",
  },
  "destination.own_error_names": {
    requirement: "7.2-2",
    choice: "an error that §7.2 does not name keeps its own code, in errors of runs too",
    reason: "Four names are shown, but a store has more errors. A wrong name would hide the cause.",
  },
  "destination.test_file_key": {
    requirement: "2.4-6",
    choice: "tmp/",
    alternatives: ["<prefix>/tmp/"],
    reason:
      "The file is under /tmp of the bucket, which we take as its root. It could also mean below the prefix.",
    observed: "<prefix>/tmp/",
  },
  "destination.include_bucket_in_prefix_default": {
    requirement: "2.4-1",
    choice: false,
    alternatives: [true],
    ruledOut: [true],
    reason: "The specification has false for new destinations. The public service was observed to use true.",
    observed: true,
  },
  "destination.bucket_in_prefix_spelling": {
    requirement: "2.4-13",
    choice: "<bucket>/<prefix>/ inside the key, not doubled",
    reason: "The bucket's name is part of the path prefix. A prefix that already contains it is not changed.",
  },
  "destination.empty_prefix": {
    requirement: "2.4-1",
    choice: "accepted",
    reason: "The prefix is required. Whether it may be empty is not shown, and clients send empty ones.",
  },
  "destination.text_lengths": {
    requirement: "2.4-1",
    choice: "display_name 1 to 1024 characters, prefix at most 512, region at most 255; otherwise 422",
    reason:
      "No lengths are shown. A name is displayed, so it is not empty. Keys of object stores have at most 1024 bytes.",
  },
  "destination.missing_region": {
    requirement: "2.4-1",
    choice: 422,
    reason: "A region is required for AWS-style buckets. The reply to a missing one is not shown.",
  },
  "destination.missing_credentials": {
    requirement: "2.4-4",
    choice: 422,
    reason:
      "Environment credentials are for self-hosted deployments. The reply of a hosted one is not shown.",
  },
  "destination.session_token_gate": {
    requirement: "2.4-3",
    choice: 422,
    reason:
      "The refusal of a session token by an older version is not shown, neither from the request nor from the environment.",
  },
  "destination.environment_order": {
    requirement: "2.4-4",
    choice: "variables, shared files, web identity, container endpoint; never instance metadata",
    reason:
      "The locations and their order are those of the AWS SDK for JavaScript, where a profile may name a process, SSO, a web identity or the container. Instance metadata needs no configuration, and would give the rights of the machine that runs the emulator.",
  },
  "destination.delete_in_use": {
    requirement: "7.3-5",
    choice: "delete",
    alternatives: ["refuse"],
    reason: "A destination can be deleted during an export. The call for this is not shown.",
    observed: "refuse",
  },
  "destination.role": {
    requirement: "2.4-2",
    choice:
      "config.aws_role_arn excludes credentials; PATCH with one of them ends the other; the embedded store admits every role",
    reason:
      "It is newer than the specification. The emulator does not call STS, so a role does not open another store.",
  },
  "destination.rotation": {
    requirement: "2.4-2",
    choice: "the next file uses the new credentials",
    reason: "Rotation is not shown. Only a file that is being written uses the earlier credentials.",
  },
} as const satisfies Record<string, AssumptionRow>;
