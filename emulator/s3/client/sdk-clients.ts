import { createHash } from "node:crypto";
import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import type {
  ObjectStoreAddress,
  ObjectStoreCredentials,
} from "../../subjects/destinations/object-store-client.ts";
import { NotS3Error } from "./failures.ts";
import { withoutNotice } from "./sdk-warning.ts";

/** Clients of other object stores, made on first use and kept for a while. */
export interface Clients {
  take(address: ObjectStoreAddress, credentials: ObjectStoreCredentials): Promise<S3Client>;
  close(): void;
}

const MAX_CLIENTS = 16;
const DEFAULT_REGION = "us-east-1";

/** One client for each region, endpoint and key pair; `timeoutMs` is wall-clock time for one request. */
export function createClients(timeoutMs: number): Clients {
  const kept = new Map<string, Promise<S3Client>>();
  return {
    take(address, credentials) {
      const { region, endpointUrl } = address;
      const name = createHash("sha256")
        .update(JSON.stringify([region, endpointUrl, credentials]))
        .digest("hex");
      const client = kept.get(name) ?? openClient(address, credentials, timeoutMs);
      // The last used stands last; the first goes when there are too many.
      kept.delete(name);
      kept.set(name, client);
      const [oldest] = kept.keys();
      if (kept.size > MAX_CLIENTS && oldest !== undefined) kept.delete(oldest);
      return client;
    },
    close() {
      for (const client of kept.values()) client.then((open) => open.destroy()).catch(() => undefined);
      kept.clear();
    },
  };
}

async function openClient(
  { region, endpointUrl }: ObjectStoreAddress,
  { accessKeyId, secretAccessKey, sessionToken }: ObjectStoreCredentials,
  timeoutMs: number,
): Promise<S3Client> {
  // The SDK takes an empty text for none, and would call AWS itself.
  if (endpointUrl === "") throw new NotS3Error("endpoint_url is empty.");
  const { S3Client } = await import("@aws-sdk/client-s3");
  const place = region ?? DEFAULT_REGION;
  const settings: S3ClientConfig = {
    region: place,
    // Named even for AWS, or AWS_ENDPOINT_URL_S3 would send the export back into the emulator.
    endpoint: endpointUrl ?? awsEndpoint(place),
    forcePathStyle: endpointUrl !== null,
    // Given outright: the chain that would look for them probes the instance metadata (law 12).
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== null && { sessionToken }) },
    // Retries are the export's own, in virtual time.
    maxAttempts: 1,
    // Many stores know neither checksum trailers nor aws-chunked bodies, and keep the framing as content.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    followRegionRedirects: false,
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  };
  const client = withoutNotice(() => new S3Client(settings));
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

/** A web page is no S3 server, however well it answers; only an object may look like one. */
function refuseNonS3Answer(response: unknown, command: string): void {
  const { statusCode, headers } = response as { statusCode: number; headers: Record<string, string> };
  const type = headers["content-type"] ?? "";
  const isObject = /^(Get|Head)ObjectCommand$/.test(command) && statusCode < 300;
  if (isObject || statusCode >= 500 || !/^(text\/html|application\/json)/i.test(type)) return;
  throw new NotS3Error(`The endpoint answered ${statusCode} with ${type}, which no S3 server does.`);
}
