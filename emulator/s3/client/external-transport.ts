import type { S3Client } from "@aws-sdk/client-s3";
import type {
  ObjectStoreAddress,
  ObjectStoreClient,
  ObjectStoreCredentials,
  ObjectStoreFailure,
} from "../../subjects/destinations/object-store-client.ts";
import { failureOfError, NotS3Error } from "./failures.ts";
import type { Clients } from "./sdk-clients.ts";

/** A multipart upload in progress. */
export interface Upload {
  readonly key: string;
  readonly uploadId: string;
}

/** A part that was stored. */
export interface StoredPart {
  readonly partNumber: number;
  readonly etag: string;
}

/** The requests of a client. */
export interface ObjectStoreTransport extends Omit<ObjectStoreClient, "put"> {
  putWhole(key: string, bytes: Uint8Array): Promise<ObjectStoreFailure | { readonly stored: true }>;
  createUpload(key: string): Promise<ObjectStoreFailure | Upload>;
  putPart(upload: Upload, partNumber: number, bytes: Uint8Array): Promise<ObjectStoreFailure | StoredPart>;
  completeUpload(
    upload: Upload,
    parts: readonly StoredPart[],
  ): Promise<ObjectStoreFailure | { readonly stored: true }>;
  /** If the credentials may not abort uploads, the parts stay. */
  abortUpload(upload: Upload): Promise<unknown>;
}

type Sdk = typeof import("@aws-sdk/client-s3");

interface Request {
  readonly sdk: Sdk;
  readonly client: S3Client;
}

const MAX_LISTED_KEYS = 100_000;
/** S3 lists a thousand keys on each page; a page may have fewer, or none. */
const MAX_PAGES = 200;

/** Requests to any other S3-compatible store, through the AWS SDK. */
export function createExternalTransport(
  clients: Clients,
  address: ObjectStoreAddress,
  credentials: ObjectStoreCredentials,
): ObjectStoreTransport {
  const Bucket = address.bucket;

  async function attempt<R>(act: (request: Request) => Promise<R>): Promise<ObjectStoreFailure | R> {
    try {
      const [sdk, client] = await Promise.all([
        import("@aws-sdk/client-s3"),
        clients.take(address, credentials),
      ]);
      return await act({ sdk, client });
    } catch (error) {
      return failureOfError(error, address.endpointUrl !== null);
    }
  }

  return {
    ...uploadRequests(attempt, Bucket),

    putWhole: (Key, Body) =>
      attempt(async ({ sdk, client }) => {
        const { ETag } = await client.send(new sdk.PutObjectCommand({ Bucket, Key, Body }));
        if (!ETag || ETag.startsWith("W/"))
          throw new NotS3Error("The endpoint stored the object but returned no entity tag.");
        return { stored: true } as const;
      }),

    size: (Key) =>
      attempt(async (request) => {
        const { sdk, client } = request;
        const command = new sdk.HeadObjectCommand({ Bucket, Key });
        const reply = await client.send(command).catch(() => undefined);
        if (reply?.ContentLength !== undefined) return { size: reply.ContentLength };
        // A response to HEAD has no body with the reason; a response to GET has one.
        return { size: (await readObject(request, { Bucket, Key })).length };
      }),

    get: (Key) => attempt(async (request) => ({ bytes: await readObject(request, { Bucket, Key }) })),

    delete: (Key) =>
      attempt(async ({ sdk, client }) => {
        await client.send(new sdk.DeleteObjectCommand({ Bucket, Key }));
        return { deleted: true } as const;
      }),

    list: (prefix) => attempt(async (request) => ({ keys: await listKeys(request, Bucket, prefix) })),
  };
}

interface ObjectLocation {
  readonly Bucket: string;
  readonly Key: string;
}

type Attempt = <R>(act: (request: Request) => Promise<R>) => Promise<ObjectStoreFailure | R>;

type UploadRequests = Pick<
  ObjectStoreTransport,
  "createUpload" | "putPart" | "completeUpload" | "abortUpload"
>;

function uploadRequests(attempt: Attempt, Bucket: string): UploadRequests {
  return {
    createUpload: (key) =>
      attempt(async ({ sdk, client }) => {
        const create = new sdk.CreateMultipartUploadCommand({ Bucket, Key: key });
        const { UploadId } = await client.send(create);
        if (!UploadId) throw new NotS3Error("The endpoint created no multipart upload.");
        return { key, uploadId: UploadId };
      }),

    putPart: ({ key: Key, uploadId: UploadId }, partNumber, Body) =>
      attempt(async ({ sdk, client }) => {
        const part = new sdk.UploadPartCommand({ Bucket, Key, UploadId, PartNumber: partNumber, Body });
        const { ETag } = await client.send(part);
        if (!ETag) throw new NotS3Error("The endpoint stored a part but returned no entity tag.");
        return { partNumber, etag: ETag };
      }),

    completeUpload: ({ key: Key, uploadId: UploadId }, parts) =>
      attempt(async ({ sdk, client }) => {
        const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag }));
        const MultipartUpload = { Parts };
        const complete = new sdk.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload });
        await client.send(complete);
        return { stored: true } as const;
      }),

    abortUpload: ({ key: Key, uploadId: UploadId }) =>
      attempt(({ sdk, client }) =>
        client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId })),
      ),
  };
}

async function readObject({ sdk, client }: Request, location: ObjectLocation): Promise<Uint8Array> {
  const { Body, ETag } = await client.send(new sdk.GetObjectCommand(location));
  if (!Body || !ETag) throw new NotS3Error("The endpoint responded without an entity tag.");
  return Body.transformToByteArray();
}

async function listKeys(
  { sdk, client }: Request,
  Bucket: string,
  Prefix: string,
): Promise<readonly string[]> {
  const keys: string[] = [];
  let ContinuationToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const command = new sdk.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken });
    const listing = await client.send(command);
    if (listing.IsTruncated === undefined && listing.Name === undefined) {
      throw new NotS3Error("The response of the endpoint is not a listing.");
    }
    for (const { Key } of listing.Contents ?? []) if (Key !== undefined) keys.push(Key);
    ContinuationToken = listing.IsTruncated ? listing.NextContinuationToken : undefined;
    if (ContinuationToken === undefined || keys.length >= MAX_LISTED_KEYS)
      return keys.slice(0, MAX_LISTED_KEYS);
  }
  throw new NotS3Error(`The listing did not end within ${MAX_PAGES} pages.`);
}
