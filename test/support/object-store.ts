import { S3Client } from "@aws-sdk/client-s3";

const STANDARD_PAIR = { accessKeyId: "emulator", secretAccessKey: "emulator-secret" };

/** The AWS SDK at an emulator's object store; by default without retries, so that a refusal is visible. */
export function objectStore(endpoint: string, credentials = STANDARD_PAIR, maxAttempts = 1): S3Client {
  return new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true, maxAttempts, credentials });
}
