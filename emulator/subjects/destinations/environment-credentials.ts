import type { Secrets } from "../turn.ts";
import type { ObjectStoreCredentials } from "./object-store-client.ts";

/**
 * The credentials of a destination: its own, or else those of the environment in the order of the AWS SDK
 * (variables, then shared files). Instance metadata is never queried (§2.4-4).
 */
export async function openCredentials(
  secrets: Secrets,
  sealed: string | null,
): Promise<ObjectStoreCredentials | undefined> {
  if (sealed === null) return environmentCredentials();
  const opened = JSON.parse(secrets.open(sealed)) as Record<string, string | undefined>;
  return {
    accessKeyId: opened.access_key_id ?? "",
    secretAccessKey: opened.secret_access_key ?? "",
    sessionToken: opened.session_token ?? null,
  };
}

async function environmentCredentials(): Promise<ObjectStoreCredentials | undefined> {
  const [{ fromEnv }, { fromIni }] = await Promise.all([
    import("@aws-sdk/credential-provider-env"),
    import("@aws-sdk/credential-provider-ini"),
  ]);
  for (const provider of [fromEnv(), fromIni()]) {
    try {
      const found = await provider();
      return { ...found, sessionToken: found.sessionToken ?? null };
    } catch {
      // Not found by this provider: try the next one in the order of the SDK.
    }
  }
  return undefined;
}
