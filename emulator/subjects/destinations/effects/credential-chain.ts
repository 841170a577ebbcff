import type { fromEnv } from "@aws-sdk/credential-provider-env";
import { within } from "../../../../contracts/targets/outgoing.ts";
import { requestHandlerWithin } from "../../../../contracts/targets/s3-client.ts";

type Provider = ReturnType<typeof fromEnv>;
type ChainCredentials = Awaited<ReturnType<Provider>>;

/** One of the library's locations of credentials. */
interface Location {
  readonly name: string;
  isConfigured(): boolean;
  open(timeoutMs: number): Promise<Provider>;
}

/**
 * §2.4: the locations in the order of the library's default chain. A profile may itself name a process, SSO, a web
 * identity or the container endpoint. Instance metadata, the chain's last location, is left out.
 */
const LOCATIONS: readonly Location[] = [
  {
    name: "environment variables",
    // As in the library: with AWS_PROFILE the variables of a key pair are not read.
    isConfigured: () => isSet("AWS_ACCESS_KEY_ID") && isSet("AWS_SECRET_ACCESS_KEY") && !isSet("AWS_PROFILE"),
    open: async () => (await import("@aws-sdk/credential-provider-env")).fromEnv(),
  },
  {
    name: "shared files",
    isConfigured: () => true,
    async open(timeoutMs) {
      await refuseInstanceMetadata();
      return (await import("@aws-sdk/credential-provider-ini")).fromIni(await optionsOf(timeoutMs));
    },
  },
  {
    name: "web identity",
    isConfigured: () => isSet("AWS_WEB_IDENTITY_TOKEN_FILE") && isSet("AWS_ROLE_ARN"),
    open: async (timeoutMs) =>
      (await import("@aws-sdk/credential-provider-web-identity")).fromTokenFile(await optionsOf(timeoutMs)),
  },
  {
    name: "container endpoint",
    isConfigured: () =>
      isSet("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") || isSet("AWS_CONTAINER_CREDENTIALS_FULL_URI"),
    open: async () => (await import("@aws-sdk/credential-provider-http")).fromHttp(),
  },
];

const REFRESH_MS = 300_000;

/** Cached credentials with their environment variables, because each file of an export needs them. */
let cached: { readonly variables: string; readonly credentials: ChainCredentials } | undefined;

/** The credentials of the environment; else the locations that were tried. `timeoutMs` bounds the whole search. */
export async function chainCredentials(
  timeoutMs: number,
): Promise<ChainCredentials | { readonly tried: readonly string[] }> {
  const variables = JSON.stringify(Object.entries(process.env).filter(([name]) => name.startsWith("AWS_")));
  if (cached?.variables === variables && isFresh(cached.credentials)) return cached.credentials;
  const triedSources: string[] = [];
  const credentials = await within(
    timeoutMs,
    "no credentials in time",
    search(timeoutMs, triedSources),
  ).catch(() => undefined);
  if (credentials === undefined) return { tried: triedSources };
  cached = { variables, credentials };
  return credentials;
}

async function search(timeoutMs: number, triedSources: string[]): Promise<ChainCredentials | undefined> {
  for (const { name, isConfigured, open } of LOCATIONS) {
    if (!isConfigured()) continue;
    triedSources.push(name);
    try {
      return await (await open(timeoutMs))();
    } catch (error) {
      // As in the library: an error of another kind ends the search.
      if (!(error instanceof Error && "tryNextLink" in error && error.tryNextLink)) return undefined;
    }
  }
  return undefined;
}

/** Throws when the profile in use, or one that it refers to, has its credentials from instance metadata. */
async function refuseInstanceMetadata(): Promise<void> {
  const { getProfileName, parseKnownFiles } = await import("@smithy/core/config");
  const profiles = await parseKnownFiles({ ignoreCache: true });
  const visited = new Set<string>();
  let name: string | undefined = getProfileName({});
  while (name !== undefined && !visited.has(name)) {
    visited.add(name);
    if (profiles[name]?.credential_source === "Ec2InstanceMetadata")
      throw new Error(
        `Profile ${name} takes its credentials from instance metadata, which the emulator never requests.`,
      );
    name = profiles[name]?.source_profile;
  }
}

async function optionsOf(timeoutMs: number) {
  const requestHandler = await requestHandlerWithin({ timeoutMs, objectBytes: 0 });
  // The mode `auto` would request the region from instance metadata.
  return { ignoreCache: true, clientConfig: { defaultsMode: "standard" as const, requestHandler } };
}

function isFresh({ expiration }: ChainCredentials): boolean {
  return expiration !== undefined && expiration.getTime() - Date.now() > REFRESH_MS;
}

function isSet(name: string): boolean {
  return (process.env[name] ?? "") !== "";
}
