import type { Settings } from "../../settings.ts";
import type { Secrets } from "../../turn.ts";
import { missingVersion } from "../../versions.ts";
import type { NoCredentials, ObjectStoreCredentials } from "../object-store-client.ts";
import { noStoreFailure } from "../store-failure.ts";
import { chainCredentials } from "./credential-chain.ts";

type ChainSettings = Pick<Settings, "versions" | "timings">;

/** The credentials of a destination: its own, or else those of the environment (2.4-4). */
export async function openCredentials(
  secrets: Secrets,
  sealed: string | null,
  settings: ChainSettings,
): Promise<ObjectStoreCredentials | NoCredentials> {
  if (sealed === null) return environmentCredentials(settings);
  const opened = JSON.parse(secrets.open(sealed)) as Record<string, string | undefined>;
  return {
    accessKeyId: opened.access_key_id ?? "",
    secretAccessKey: opened.secret_access_key ?? "",
    sessionToken: opened.session_token ?? null,
  };
}

async function environmentCredentials({
  versions,
  timings,
}: ChainSettings): Promise<ObjectStoreCredentials | NoCredentials> {
  const found = await chainCredentials(timings.object_store_timeout_ms);
  if ("tried" in found) return noStoreFailure("NoCredentials", notFound(found.tried));
  const missing = found.sessionToken ? missingVersion(versions, "session_token") : undefined;
  if (missing !== undefined) return { ...noStoreFailure("NoCredentials", missing), unsupported: true };
  const { accessKeyId, secretAccessKey, sessionToken = null } = found;
  return { accessKeyId, secretAccessKey, sessionToken };
}

function notFound(tried: readonly string[]): string {
  return `the environment has no credentials (tried: ${tried.join(", ")}); set them, or give the destination its own`;
}
