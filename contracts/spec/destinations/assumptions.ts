import type { Assumption } from "../assumption.ts";

/** Destinations and their validation. */
export const DESTINATION_ASSUMPTIONS = {
  "destination.error_status": {
    section: "7.2",
    requirement: "7-1",
    choice: 400,
    alternatives: [],
    reason: "Validation is refused by the object store, not by the form of the request.",
  },
  "destination.error_prefix": {
    section: "7.2",
    requirement: "7.2-1",
    choice: "Failed to validate S3 destination: ",
    alternatives: [],
    reason: "The names of the errors are shown, the text around them is not.",
  },
  "destination.error_overlap": {
    section: "7.2",
    requirement: "7.2-2",
    choice: "denied put and wrong secret: Access denied; missing bucket: Bucket is not valid",
    alternatives: [],
    reason: "Causes overlap: both the first and the second error mention writes that are not permitted.",
  },
  "destination.no_object_store": {
    section: "7.2",
    requirement: "7.2-1",
    choice: "Invalid endpoint, where the destination has an endpoint_url",
    alternatives: [],
    reason:
      "Whatever does not answer as S3 does within its time is no S3-compatible endpoint; without one no other name is shown.",
  },
  "destination.own_error_names": {
    section: "7.2",
    requirement: "7.2-2",
    choice: "an error without a name of §7.2 is shown under its own code, in errors of runs too",
    alternatives: [],
    reason: "Four names are shown, a store has more; a wrong name would lead away from the cause.",
  },
  "destination.test_file_key": {
    section: "2.4",
    requirement: "2.4-6",
    choice: "tmp/",
    alternatives: ["<prefix>/tmp/"],
    reason:
      "The file stays under /tmp of the bucket, read as its root; it may also be meant below the prefix.",
    observed: "<prefix>/tmp/",
    switchable: true,
  },
  "destination.include_bucket_in_prefix_default": {
    section: "2.4",
    requirement: "2.4-1",
    choice: false,
    alternatives: [true],
    ruledOut: [true],
    reason: "The specification says false for new destinations; the public service was seen to use true.",
    observed: true,
    switchable: true,
  },
  "destination.bucket_in_prefix_spelling": {
    section: "2.4",
    requirement: "2.4-13",
    choice: "<bucket>/<prefix>/ inside the key, not doubled",
    alternatives: [],
    reason: "The bucket's name is said to be part of the path prefix; a prefix that has it already keeps it.",
  },
  "destination.empty_prefix": {
    section: "2.4",
    requirement: "2.4-1",
    choice: "accepted",
    alternatives: [],
    reason: "The prefix is required; whether it may be empty is not shown, and clients send it so.",
  },
  "destination.missing_region": {
    section: "2.4",
    requirement: "2.4-1",
    choice: 422,
    alternatives: [],
    reason: "A region is required for AWS-style buckets; what its absence leads to is not shown.",
  },
  "destination.missing_credentials": {
    section: "2.4",
    requirement: "2.4-4",
    choice: 422,
    alternatives: [],
    reason:
      "Environment credentials are for self-hosted deployments; what the hosted one answers is not shown.",
  },
  "destination.session_token_gate": {
    section: "2.4",
    requirement: "2.4-3",
    choice: 422,
    alternatives: [],
    reason: "How an older version refuses a session token, given or found in its environment, is not shown.",
  },
  "destination.environment_order": {
    section: "2.4",
    requirement: "2.4-4",
    choice: "variables, shared files, web identity, container endpoint; never instance metadata",
    alternatives: [],
    reason:
      "The locations are those of the AWS SDK for JavaScript in its order, which lets a profile name a process, SSO, a web identity or the container. Instance metadata is asked for without being configured, and leads to the machine that the emulator happens to run on.",
  },
  "destination.delete_in_use": {
    section: "7.3",
    requirement: "7.3-5",
    choice: "delete",
    alternatives: ["refuse"],
    reason: "A destination can be deleted during an export; the call that does so is not shown.",
    observed: "refuse",
    switchable: true,
  },
  "destination.rotation": {
    section: "2.4",
    requirement: "2.4-2",
    choice: "the next file uses the new credentials",
    alternatives: [],
    reason: "Rotation is not shown; only a file that is being written keeps what it began with.",
  },
} as const satisfies Record<string, Assumption>;
