import type { Settings } from "../../settings.ts";
import type { Secrets } from "../../turn.ts";
import { missingVersion } from "../../versions.ts";
import type { NoCredentials, ObjectStoreCredentials } from "../object-store-client.ts";
import { noStoreFailure } from "../store-failure.ts";
import { chainCredentials } from "./credential-chain.ts";

type ChainSettings = Pick<Settings, "versions" | "timings" | "isolated">;

/** The credentials of a destination: its own, or else those of the environment (2.4-4). */
export async function openCredentials(
  secrets: Secrets,
  sealed: string | null,
  settings: ChainSettings,
): Promise<ObjectStoreCredentials | NoCredentials> {
  if (sealed === null) return environmentCredentials(settings);
  const pair = JSON.parse(secrets.open(sealed)) as Record<string, string | undefined>;
  return {
    accessKeyId: pair.access_key_id ?? "",
    secretAccessKey: pair.secret_access_key ?? "",
    sessionToken: pair.session_token ?? null,
  };
}

async function environmentCredentials({
  versions,
  timings,
  isolated,
}: ChainSettings): Promise<ObjectStoreCredentials | NoCredentials> {
  if (isolated)
    return noStoreFailure("NoCredentials", "server.isolated is on, so the environment is not searched");
  const credentials = await chainCredentials(timings.object_store_timeout_ms);
  if ("tried" in credentials) return noStoreFailure("NoCredentials", notFound(credentials.tried));
  const missingFeature = credentials.sessionToken ? missingVersion(versions, "session_token") : undefined;
  if (missingFeature !== undefined)
    return { ...noStoreFailure("NoCredentials", missingFeature), unsupported: true };
  const { accessKeyId, secretAccessKey, sessionToken = null } = credentials;
  return { accessKeyId, secretAccessKey, sessionToken };
}

function notFound(triedSources: readonly string[]): string {
  return `the environment has no credentials (tried: ${triedSources.join(", ")}); set them, or set the credentials of the destination`;
}
