/** §7.2: the named errors of a destination's validation. */
export interface DestinationError {
  /** The name as the specification words it. */
  readonly name: string;
  /** What the reply says after the prefix (assumption `destination.error_prefix`); begins with the name. */
  readonly message: string;
  readonly requirement: string;
}

/** §7.2: each is answered with 400, before anything is kept. */
export const DESTINATION_ERRORS = {
  access_denied: {
    name: "Access denied",
    message: "Access denied. The credentials must be allowed to put objects into this bucket.",
    requirement: "7.2-1",
  },
  bucket_not_valid: {
    name: "Bucket is not valid",
    message: "Bucket is not valid. Check that it exists in this region and accepts writes.",
    requirement: "7.2-1",
  },
  key_id_does_not_exist: {
    name: "Key ID you provided does not exist",
    message: "Key ID you provided does not exist. Check access_key_id.",
    requirement: "7.2-1",
  },
  invalid_endpoint: {
    name: "Invalid endpoint",
    message: "Invalid endpoint. Set an S3-compatible endpoint, or omit endpoint_url for an AWS-style bucket.",
    requirement: "7.2-1",
  },
} as const satisfies Record<string, DestinationError>;

export type DestinationErrorKey = keyof typeof DESTINATION_ERRORS;

/** §7.3: what a failure of an export leads to. */
export interface ExportFailure {
  /** Whether the run is tried again while retries are left. */
  readonly retry: boolean;
  readonly text: string;
  readonly requirement: string;
}

/** §7.3: what can stop a run or a whole export, and whether it is tried again. */
export const EXPORT_FAILURES = {
  infrastructure_interruption: {
    retry: true,
    text: "Infrastructure interruption",
    requirement: "7.3-1",
  },
  run_timeout: {
    retry: true,
    text: "Run timeout",
    requirement: "7.3-2",
  },
  workflow_timeout: {
    retry: false,
    text: "Workflow timeout",
    requirement: "7.3-3",
  },
  storage_error: {
    retry: false,
    text: "Storage or destination error",
    requirement: "7.3-4",
  },
  destination_deleted: {
    retry: false,
    text: "Destination deleted during the export",
    requirement: "7.3-5",
  },
  serialization_error: {
    retry: true,
    text: "Serialization error",
    requirement: "7.3-6",
  },
  resource_exhausted: {
    retry: true,
    text: "Resources exhausted",
    requirement: "7.3-6",
  },
} as const satisfies Record<string, ExportFailure>;

export type ExportFailureKey = keyof typeof EXPORT_FAILURES;
