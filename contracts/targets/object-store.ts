import { Lacking } from "../engine/contract.ts";
import type { Identity, ObjectStore } from "../engine/target.ts";
import { openS3Client, type StoreBounds } from "./s3-client.ts";

/** A thousand objects each. */
const MAX_PAGES = 200;
const BOUNDS: StoreBounds = { timeoutMs: 60_000, objectBytes: 268_435_456 };

/** The AWS SDK, which is loaded when a case first looks into a bucket. */
export function openObjectStore(
  endpoint: string | undefined,
  { region, accessKeyId, secretAccessKey, sessionToken }: Omit<Identity["bucket"], "name" | "endpointUrl">,
  bounds = BOUNDS,
): ObjectStore & { close(): void } {
  let store: ReturnType<typeof load> | undefined;

  async function load() {
    const sdk = await import("@aws-sdk/client-s3");
    const settings = {
      region,
      maxAttempts: 2,
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
      ...(endpoint && { endpoint, forcePathStyle: true }),
    };
    return { sdk, client: await openS3Client(settings, bounds) };
  }

  const open = () => {
    store ??= load();
    return store;
  };

  return {
    async list(Bucket, Prefix = "") {
      const { sdk, client } = await open();
      const keys: string[] = [];
      let ContinuationToken: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const reply = await client.send(new sdk.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }));
        for (const { Key } of reply.Contents ?? []) if (Key !== undefined) keys.push(Key);
        ContinuationToken = reply.NextContinuationToken;
        if (!ContinuationToken) return keys.sort();
      }
      throw new Lacking("a bucket with fewer objects (--s3)");
    },
    async get(Bucket, Key) {
      const { sdk, client } = await open();
      const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key }));
      return Body ? Body.transformToByteArray() : new Uint8Array(0);
    },
    async put(Bucket, Key, Body) {
      const { sdk, client } = await open();
      await client.send(new sdk.PutObjectCommand({ Bucket, Key, Body }));
    },
    async uploads(Bucket) {
      const { sdk, client } = await open();
      const { Uploads = [] } = await client.send(new sdk.ListMultipartUploadsCommand({ Bucket }));
      return Uploads.flatMap(({ Key }) => Key ?? []);
    },
    close() {
      void store?.then(({ client }) => client.destroy());
    },
  };
}
