import type { SnapshotView } from "../../emulator/subjects/control-operation.ts";

/** One line for each secret that an imported snapshot lacks, with the call that supplies it. */
export function missingLines(secrets: SnapshotView["missing"]): readonly string[] {
  if (!secrets) return [];
  const { destinations, keys, webhooks } = secrets;
  const lines = [
    ...destinations.map(
      ({ id, display_name }) =>
        `no credentials in the file for the destination ${display_name}: PATCH /api/v1/bulk-exports/destinations/${id} {"credentials":{…}}`,
    ),
    ...keys.map(
      (key) =>
        `no secret in the file for the key ${key}: PATCH /_emulator/v1/s3/credentials/${key} {"secret_access_key":…}`,
    ),
    ...(webhooks.length > 0
      ? [
          `no secrets in the file for ${webhooks.length} webhook addresses and headers of runs, crons and deliveries`,
        ]
      : []),
  ];
  return lines.length === 0
    ? []
    : [...lines, "PUT /_emulator/v1/secrets supplies all of them to a world or a snapshot"];
}
