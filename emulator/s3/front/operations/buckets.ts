import { authorise } from "../../../subjects/object-storage/authorisation.ts";
import { deleteEmptyBucket, makeBucket } from "../../../subjects/object-storage/buckets.ts";
import { buckets, s3Credentials } from "../../../subjects/object-storage/records.ts";
import { receiveText } from "../body.ts";
import { type Call, commit, type Reply } from "../call.ts";
import { childText, readXml, writeXml } from "../xml.ts";

const DEFAULT_REGION = "us-east-1";
const MAX_CONFIGURATION_BYTES = 64 * 1024;

/** The only owner that there is. */
export const OWNER = { ID: "emulator", DisplayName: "emulator" } as const;

/** The instant as S3's documents spell it. */
export function isoOf(instant: number): string {
  return new Date(instant).toISOString();
}

/** `ListBuckets`; a key pair that opens one bucket sees that one. */
export function listBuckets({ store, claim, target }: Call): Reply {
  const { reader } = store.world;
  const prefix = target.query.get("prefix") ?? "";
  const only = reader.get(s3Credentials, claim.access_key_id)?.bucket ?? null;
  const found = [...reader.list(buckets)]
    .filter(({ name }) => name.startsWith(prefix) && (only === null || name === only))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const listed = found.map(({ name, created_at }) => ({ Name: name, CreationDate: isoOf(created_at) }));
  return {
    status: 200,
    xml: writeXml("ListAllMyBucketsResult", { Owner: OWNER, Buckets: { Bucket: listed } }),
  };
}

/** `CreateBucket`, with the region that the body names or none. */
export async function createBucket(call: Call): Promise<Reply> {
  const region = await regionAskedFor(call);
  const { bucket } = call.claim;
  commit(call, (turn) => authorise(turn, call.claim) ?? makeBucket(turn, bucket, region));
  return { status: 200, headers: { location: `/${bucket}` } };
}

async function regionAskedFor({ request, signature }: Call): Promise<string | null> {
  const text = await receiveText(request, signature, { maxBytes: MAX_CONFIGURATION_BYTES });
  if (text.trim() === "") return null;
  return childText(await readXml(text, "CreateBucketConfiguration"), "LocationConstraint") || null;
}

/** `HeadBucket`: what it is asked for is whether the bucket can be reached. */
export function headBucket(call: Call): Reply {
  return { status: 200, headers: { "x-amz-bucket-region": regionOf(call) ?? DEFAULT_REGION } };
}

/** `DeleteBucket`, for a bucket without objects. */
export function deleteBucket(call: Call): Reply {
  const { claim } = call;
  commit(call, (turn) => authorise(turn, claim) ?? deleteEmptyBucket(turn, claim.bucket));
  return { status: 204 };
}

/** `GetBucketLocation`; empty for the usual region, as the real service has it. */
export function getBucketLocation(call: Call): Reply {
  return { status: 200, xml: writeXml("LocationConstraint", regionOf(call)) };
}

/** No bucket keeps versions; the real service says so with an empty document. */
export function getBucketVersioning(): Reply {
  return { status: 200, xml: writeXml("VersioningConfiguration", null) };
}

function regionOf({ store, claim }: Call): string | null {
  return store.world.reader.get(buckets, claim.bucket)?.region ?? null;
}
