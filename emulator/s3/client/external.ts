import type { S3Client } from "@aws-sdk/client-s3";
import type {
  ObjectStoreAddress,
  ObjectStoreClient,
  ObjectStoreCredentials,
  ObjectStoreFailure,
} from "../../subjects/destinations/object-store-client.ts";
import type { TransferLimits } from "./embedded-transport.ts";
import { failureOfError, NotS3Error } from "./failures.ts";
import type { Clients } from "./sdk-clients.ts";

type Sdk = typeof import("@aws-sdk/client-s3");

interface Request {
  readonly sdk: Sdk;
  readonly client: S3Client;
  /** Ends the request, answer included, when its time is up. */
  readonly within: () => { readonly abortSignal: AbortSignal };
}

const MAX_LISTED_KEYS = 100_000;

/** The door to any other S3-compatible store, through the AWS SDK. */
export function createExternalClient(
  clients: Clients,
  address: ObjectStoreAddress,
  credentials: ObjectStoreCredentials,
  { partBytes, timeoutMs }: TransferLimits,
): ObjectStoreClient {
  const Bucket = address.bucket;
  const within = () => ({ abortSignal: AbortSignal.timeout(timeoutMs) });

  async function attempt<R>(act: (request: Request) => Promise<R>): Promise<ObjectStoreFailure | R> {
    try {
      const [sdk, client] = await Promise.all([
        import("@aws-sdk/client-s3"),
        clients.take(address, credentials),
      ]);
      return await act({ sdk, client, within });
    } catch (error) {
      return failureOfError(error);
    }
  }

  return {
    put: (Key, bytes) =>
      attempt(async (request) => {
        if (bytes.length > partBytes) await putInParts(request, { Bucket, Key }, bytes, partBytes);
        else await putWhole(request, { Bucket, Key }, bytes);
        return { stored: true } as const;
      }),

    size: (Key) =>
      attempt(async (request) => {
        const { sdk, client } = request;
        const head = new sdk.HeadObjectCommand({ Bucket, Key });
        const found = await client.send(head, within()).catch(() => undefined);
        if (found?.ContentLength !== undefined) return { size: found.ContentLength };
        // A reply to HEAD has no body that could say why; one to GET has.
        return { size: (await readObject(request, { Bucket, Key })).length };
      }),

    get: (Key) => attempt(async (request) => ({ bytes: await readObject(request, { Bucket, Key }) })),

    delete: (Key) =>
      attempt(async ({ sdk, client }) => {
        await client.send(new sdk.DeleteObjectCommand({ Bucket, Key }), within());
        return { deleted: true } as const;
      }),

    list: (prefix) => attempt(async (request) => ({ keys: await listKeys(request, Bucket, prefix) })),
  };
}

interface ObjectLocation {
  readonly Bucket: string;
  readonly Key: string;
}

async function putWhole(
  { sdk, client, within }: Request,
  location: ObjectLocation,
  bytes: Uint8Array,
): Promise<void> {
  const { ETag } = await client.send(new sdk.PutObjectCommand({ ...location, Body: bytes }), within());
  if (!ETag || ETag.startsWith("W/"))
    throw new NotS3Error("The endpoint took the object but gave no entity tag.");
}

async function putInParts(
  request: Request,
  location: ObjectLocation,
  bytes: Uint8Array,
  partBytes: number,
): Promise<void> {
  const { sdk, client, within } = request;
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(location), within());
  if (!UploadId) throw new NotS3Error("The endpoint opened no multipart upload.");
  try {
    const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
    for (let offset = 0; offset < bytes.length; offset += partBytes) {
      const PartNumber = Parts.length + 1;
      const Body = bytes.subarray(offset, offset + partBytes);
      const part = new sdk.UploadPartCommand({ ...location, UploadId, PartNumber, Body });
      const { ETag } = await client.send(part, within());
      Parts.push({ ETag, PartNumber });
    }
    const done = new sdk.CompleteMultipartUploadCommand({
      ...location,
      UploadId,
      MultipartUpload: { Parts },
    });
    await client.send(done, within());
  } catch (error) {
    // Where aborting is not permitted, the parts stay: the first trouble is the one to tell.
    await client
      .send(new sdk.AbortMultipartUploadCommand({ ...location, UploadId }), within())
      .catch(() => undefined);
    throw error;
  }
}

async function readObject({ sdk, client, within }: Request, location: ObjectLocation): Promise<Uint8Array> {
  const { Body, ETag } = await client.send(new sdk.GetObjectCommand(location), within());
  if (!Body || !ETag) throw new NotS3Error("The endpoint answered without an entity tag.");
  return Body.transformToByteArray();
}

async function listKeys(
  { sdk, client, within }: Request,
  Bucket: string,
  Prefix: string,
): Promise<readonly string[]> {
  const keys: string[] = [];
  let ContinuationToken: string | undefined;
  do {
    const command = new sdk.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken });
    const page = await client.send(command, within());
    if (page.IsTruncated === undefined && page.Name === undefined) {
      throw new NotS3Error("The endpoint's answer is no listing.");
    }
    for (const { Key } of page.Contents ?? []) if (Key !== undefined) keys.push(Key);
    ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (ContinuationToken !== undefined && keys.length < MAX_LISTED_KEYS);
  return keys.slice(0, MAX_LISTED_KEYS);
}
