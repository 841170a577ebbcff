/** §2.4: what the credentials of a destination should be allowed to do in its bucket. */
export interface BucketPermission {
  readonly necessity: "required" | "recommended" | "optional";
  readonly purpose: string;
  /** The name of the permission at a GCS-style store. */
  readonly gcs?: string;
  readonly requirement: string;
}

/** Keyed by the action as the embedded object store names it. */
export const BUCKET_PERMISSIONS = {
  put: {
    necessity: "required",
    purpose: "Write the test file and the exported files.",
    gcs: "objects.create",
    requirement: "2.4-7",
  },
  delete: {
    necessity: "optional",
    purpose: "Remove the test file.",
    gcs: "objects.delete",
    requirement: "2.4-8",
  },
  get: {
    necessity: "recommended",
    purpose: "Compare the size of a file with what was written.",
    gcs: "objects.get",
    requirement: "2.4-9",
  },
  abort: {
    necessity: "recommended",
    purpose: "Leave no unfinished multipart upload behind.",
    requirement: "2.4-10",
  },
} as const satisfies Record<string, BucketPermission>;
