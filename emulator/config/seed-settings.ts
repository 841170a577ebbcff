import { parseInstant } from "../kernel/instant.ts";
import { ACCESS_KEY_IDS, isAccessKeyId } from "../subjects/object-storage/credentials.ts";
import { isBucketName } from "../subjects/object-storage/names.ts";
import { S3_PERMISSIONS } from "../subjects/object-storage/records.ts";
import type { SeedKey } from "./configuration.ts";
import { choice, freeObject, type Kind, list, record, text } from "./kinds.ts";
import { setting } from "./setting.ts";

/** What a fresh world is given beside the standard bucket and key pair. */
export const SEED_SETTINGS = {
  "seed_data.projects": setting(
    list(text("a project name"), "project names"),
    [],
    "projects of a fresh world",
  ),
  "seed_data.traces": setting(
    list(
      record<{ file: string; project: string }>({ file: text("a file"), project: text("a project name") }),
      "files, each with file and project",
    ),
    [],
    "files of trace runs to take in",
  ),
  "seed_data.destinations": setting(
    list(freeObject(), "destination bodies"),
    [],
    "destinations of a fresh world",
    { secret: true },
  ),
  "seed_data.buckets": setting(
    list(bucketName(), "bucket names (3 to 63 small letters, digits, dots and hyphens)"),
    [],
    "buckets of a fresh world",
  ),
  "seed_data.keys": setting(
    list(seedKey(), `key pairs: ${seedKey().expects}`),
    [],
    "key pairs of a fresh world's object store, as POST /_emulator/v1/s3/credentials takes them (keys of the API: auth.keys)",
    { secret: true },
  ),
};

function seedKey(): Kind<SeedKey> {
  const permissions = list(choice(...S3_PERMISSIONS), S3_PERMISSIONS.join(", "));
  return record<SeedKey>({
    access_key_id: only(ACCESS_KEY_IDS, isAccessKeyId),
    secret_access_key: text(),
    "session_token?": text(),
    "expires_at?": only("an ISO 8601 instant of virtual time", (given) => parseInstant(given) !== undefined),
    "allow?": permissions,
    "deny?": permissions,
    "bucket?": bucketName(),
  });
}

function bucketName(): Kind<string> {
  return only("a bucket name", isBucketName);
}

/** Texts of a form that is checked elsewhere too. */
function only(expects: string, isOne: (given: string) => boolean): Kind<string> {
  const any = text(expects);
  return {
    ...any,
    read(value) {
      const given = any.read(value);
      return given !== undefined && isOne(given) ? given : undefined;
    },
  };
}
