// The calls of the quick start of the AWS SDK for S3.
import { S3 } from "@aws-sdk/client-s3";
import { step } from "./step.mjs";

const client = new S3();
const Bucket = "quick-start";
const send = (name, input = {}) => step(name, () => client[name]({ Bucket, ...input }));

await send("createBucket");
await send("putObject", { Key: "a", Body: "hello" });
await send("getObject", { Key: "a" });
await send("headObject", { Key: "a" });
await send("copyObject", { Key: "b", CopySource: `${Bucket}/a` });
await send("listObjectsV2");
await send("listBuckets");
const { UploadId } = (await send("createMultipartUpload", { Key: "c" })) ?? {};
const part = await send("uploadPart", { Key: "c", UploadId, PartNumber: 1, Body: "part" });
const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: part?.ETag }] };
await send("completeMultipartUpload", { Key: "c", UploadId, MultipartUpload });
await send("deleteObjects", { Delete: { Objects: ["a", "b", "c"].map((Key) => ({ Key })) } });
await send("deleteBucket");
