import type { SnapshotView } from "../../emulator/subjects/control-operation.ts";

/** What an imported snapshot has no secrets for, and what to do about it, a line each. */
export function missingLines(missing: SnapshotView["missing"]): readonly string[] {
  if (!missing) return [];
  const { destinations, keys, webhooks } = missing;
  const lines = [
    ...destinations.map(
      ({ id, display_name }) =>
        `no credentials came along for the destination ${display_name}: PATCH /api/v1/bulk-exports/destinations/${id} {"credentials":{…}}`,
    ),
    ...keys.map(
      (key) =>
        `no secret came along for the key ${key}: PATCH /_emulator/v1/s3/credentials/${key} {"secret_access_key":…}`,
    ),
    ...(webhooks.length > 0
      ? [
          `secrets in addresses and headers of webhooks did not come along, in ${webhooks.length} places of runs, crons, deliveries and the like`,
        ]
      : []),
  ];
  return lines.length === 0
    ? []
    : [...lines, "PUT /_emulator/v1/secrets gives a world, or a snapshot, all of them at once"];
}
