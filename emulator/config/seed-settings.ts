import { closed, freeForm } from "../../contracts/spec/fields.ts";
import { CREDENTIAL } from "../subjects/object-storage/credentials.ts";
import { BUCKET_NAME } from "../subjects/object-storage/names.ts";
import { list, TEXT } from "./kinds.ts";
import { setting } from "./setting.ts";

/** The content of a fresh world in addition to the standard bucket and key pair. */
export const SEED_SETTINGS = {
  "seed_data.projects": setting(list(TEXT, "project names"), [], "projects of a fresh world"),
  "seed_data.traces": setting(
    list(closed({ file: TEXT, project: TEXT }), "files, each with file and project"),
    [],
    "files of trace runs to ingest",
  ),
  "seed_data.destinations": setting(
    list(freeForm(), "destination bodies"),
    [],
    "destinations of a fresh world",
    { secret: true },
  ),
  "seed_data.buckets": setting(
    list(BUCKET_NAME, "bucket names (3 to 63 small letters, digits, dots and hyphens)"),
    [],
    "buckets of a fresh world",
  ),
  "seed_data.keys": setting(
    list(CREDENTIAL, "key pairs, each with access_key_id and secret_access_key"),
    [],
    "key pairs of a fresh world's object store, as POST /_emulator/v1/s3/credentials takes them (keys of the API: auth.keys)",
    { secret: true },
  ),
};
