import type { Identity, ObjectStore } from "../target.ts";

/** The AWS SDK, which is loaded when a case first looks into a bucket. */
export function openObjectStore(
  endpoint: string | undefined,
  { region, accessKeyId, secretAccessKey, sessionToken }: Identity["bucket"],
): ObjectStore & { close(): void } {
  let loaded: ReturnType<typeof load> | undefined;

  async function load() {
    const sdk = await import("@aws-sdk/client-s3");
    const client = new sdk.S3Client({
      region,
      maxAttempts: 2,
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
      ...(endpoint && { endpoint, forcePathStyle: true }),
    });
    return { sdk, client };
  }

  const open = () => {
    loaded ??= load();
    return loaded;
  };

  return {
    async list(Bucket, Prefix = "") {
      const { sdk, client } = await open();
      const keys: string[] = [];
      let ContinuationToken: string | undefined;
      do {
        const page = await client.send(new sdk.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }));
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) keys.push(Key);
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken);
      return keys.sort();
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
      void loaded?.then(({ client }) => client.destroy());
    },
  };
}
