import type { SnapshotView } from "../../emulator/subjects/control-operation.ts";

/** What an imported snapshot has no secrets for, and what to do about it, a line each. */
export function missingLines(missing: SnapshotView["missing"]): readonly string[] {
  if (!missing) return [];
  const { destinations, keys, webhooks } = missing;
  return [
    ...destinations.map(
      ({ id, display_name }) =>
        `no credentials came along for the destination ${display_name}: PATCH /api/v1/bulk-exports/destinations/${id} {"credentials":{…}}`,
    ),
    ...keys.map(
      (key) =>
        `no secret came along for the key ${key}: PATCH /_emulator/v1/s3/credentials/${key} {"secret_access_key":…}`,
    ),
    ...(webhooks > 0
      ? [
          `secrets in addresses and headers of webhooks did not come along, in ${webhooks} records of runs, crons, deliveries, messages and the like`,
        ]
      : []),
  ];
}
