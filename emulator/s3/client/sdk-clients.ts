import { createHash } from "node:crypto";
import type { S3Client } from "@aws-sdk/client-s3";
import { openS3Client, type StoreBounds } from "../../../contracts/targets/s3-client.ts";
import type {
  ObjectStoreAddress,
  ObjectStoreCredentials,
} from "../../subjects/destinations/object-store-client.ts";
import { isLoopback } from "../../subjects/local-hosts.ts";
import { NotS3Error } from "./failures.ts";

/** Clients of external object stores, created on first use and cached. */
export type Clients = ReturnType<typeof createClients>;

const MAX_CLIENTS = 16;
const DEFAULT_REGION = "us-east-1";

/** One client for each region, endpoint and key pair. */
export function createClients(bounds: StoreBounds, isolated: boolean) {
  const cache = new Map<string, Promise<S3Client>>();
  return {
    async take(address: ObjectStoreAddress, credentials: ObjectStoreCredentials): Promise<S3Client> {
      const { region, endpointUrl } = address;
      if (isolated && !isOnThisMachine(endpointUrl))
        throw new NotS3Error("The store is not on this machine, and server.isolated allows no other host.");
      const name = createHash("sha256")
        .update(JSON.stringify([region, endpointUrl, credentials]))
        .digest("hex");
      const client = cache.get(name) ?? openClient(address, credentials, bounds);
      // The least recently used client is first; it is removed when there are too many.
      cache.delete(name);
      cache.set(name, client);
      const [oldest] = cache.keys();
      if (cache.size > MAX_CLIENTS && oldest !== undefined) cache.delete(oldest);
      return client;
    },
    close(): void {
      for (const client of cache.values()) client.then((open) => open.destroy()).catch(() => undefined);
      cache.clear();
    },
  };
}

function isOnThisMachine(endpointUrl: string | null): boolean {
  return endpointUrl !== null && URL.canParse(endpointUrl) && isLoopback(new URL(endpointUrl).hostname);
}

async function openClient(
  { region, endpointUrl }: ObjectStoreAddress,
  { accessKeyId, secretAccessKey, sessionToken }: ObjectStoreCredentials,
  bounds: StoreBounds,
): Promise<S3Client> {
  // The SDK ignores an empty text, and would call AWS.
  if (endpointUrl === "") throw new NotS3Error("endpoint_url is empty.");
  const regionName = region ?? DEFAULT_REGION;
  const settings = {
    region: regionName,
    // Set even for AWS: AWS_ENDPOINT_URL_S3 would send the export to the emulator itself.
    endpoint: endpointUrl ?? awsEndpoint(regionName),
    forcePathStyle: endpointUrl !== null,
    // Set explicitly: the default credential chain probes the instance metadata (law 12).
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== null && { sessionToken }) },
    // The export itself retries, in virtual time.
    maxAttempts: 1,
    // Some stores support neither checksum trailers nor aws-chunked bodies, and store the framing as content.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    followRegionRedirects: false,
  } as const;
  const client = await openS3Client(settings, bounds);
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      refuseNonS3Answer(result.response, String(context.commandName));
      return result;
    },
    { step: "deserialize", priority: "low", name: "refuseForeignAnswer" },
  );
  return client;
}

function awsEndpoint(region: string): string {
  return `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

/** Throws for a response with a web page, which no S3 server sends; only an object may be one. */
function refuseNonS3Answer(response: unknown, command: string): void {
  const { statusCode, headers } = response as { statusCode: number; headers: Record<string, string> };
  const type = headers["content-type"] ?? "";
  const isObject = /^(Get|Head)ObjectCommand$/.test(command) && statusCode < 300;
  if (isObject || statusCode >= 500 || !/^(text\/html|application\/json)/i.test(type)) return;
  throw new NotS3Error(`The endpoint responded with ${statusCode} and ${type}, which no S3 server does.`);
}
