import { authorise } from "../../../subjects/object-storage/authorisation.ts";
import { deleteEmptyBucket, ensureBucket } from "../../../subjects/object-storage/buckets.ts";
import { buckets, s3Credentials } from "../../../subjects/object-storage/records.ts";
import { receiveText } from "../body.ts";
import { type Call, commit, type Reply } from "../call.ts";
import { refuse } from "../refused.ts";
import { childText, readXml, writeXml } from "../xml.ts";
import { afterOf, tokenOf } from "./page-tokens.ts";

const DEFAULT_REGION = "us-east-1";
const MAX_BUCKETS = 10_000;
const CONSTRAINT = "LocationConstraint";
const MAX_CONFIGURATION_BYTES = 64 * 1024;

/** The only owner that there is. */
export const OWNER = { ID: "emulator", DisplayName: "emulator" } as const;

/** The instant as S3's documents spell it. */
export function isoOf(instant: number): string {
  return new Date(instant).toISOString();
}

/** `ListBuckets`, all at once or `max-buckets` at a time; a key pair that opens one bucket sees that one. */
export function listBuckets(call: Call): Reply {
  const { reader } = call.store.world;
  const { query } = call.target;
  const prefix = query.get("prefix");
  const wantedRegion = query.get("bucket-region");
  const token = query.get("continuation-token");
  const after = token === undefined ? "" : afterOf(token);
  const only = reader.get(s3Credentials, call.claim.access_key_id)?.bucket ?? null;
  const found = [...reader.list(buckets)]
    .filter(({ name }) => name.startsWith(prefix ?? "") && (only === null || name === only) && name > after)
    .filter(({ region }) => wantedRegion === undefined || wantedRegion === (region ?? DEFAULT_REGION))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = found.slice(0, maxBucketsOf(call) ?? found.length);
  const listed = page.map(({ name, created_at }) => ({ Name: name, CreationDate: isoOf(created_at) }));
  const last = page.at(-1);
  const content = {
    Owner: OWNER,
    Buckets: { Bucket: listed },
    ContinuationToken: last && page.length < found.length ? tokenOf(last.name) : undefined,
    Prefix: prefix,
  };
  return { status: 200, xml: writeXml("ListAllMyBucketsResult", content) };
}

function maxBucketsOf({ target }: Call): number | undefined {
  const text = target.query.get("max-buckets");
  if (text === undefined) return undefined;
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_BUCKETS) return count;
  throw refuse("InvalidArgument", `max-buckets must be a whole number from 1 to ${MAX_BUCKETS}.`, {
    ArgumentName: "max-buckets",
    ArgumentValue: text.slice(0, 100),
  });
}

/** `CreateBucket`, with the region that the body names or none; in the usual region it may be repeated. */
export async function createBucket(call: Call): Promise<Reply> {
  const region = await regionAskedFor(call);
  const { bucket } = call.claim;
  commit(call, (turn) => authorise(turn, call.claim) ?? ensureBucket(turn, bucket, region));
  return { status: 200, headers: { location: `/${bucket}` } };
}

async function regionAskedFor({ request, signature }: Call): Promise<string | null> {
  const text = await receiveText(request, signature, { maxBytes: MAX_CONFIGURATION_BYTES });
  if (text.trim() === "") return null;
  const configuration = await readXml(text, "CreateBucketConfiguration");
  const other = Object.keys(configuration).find((name) => name !== CONSTRAINT && name !== "#text");
  if (other)
    throw refuse("NotImplemented", `A bucket takes no ${other} here; leave it out.`, { Element: other });
  const region = childText(configuration, CONSTRAINT)?.trim() || null;
  // The usual region is the one that goes without a name; the real service refuses it by name.
  if (region === DEFAULT_REGION)
    throw refuse("InvalidLocationConstraint", undefined, { LocationConstraint: region });
  return region;
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
