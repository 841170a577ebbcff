import { authorise } from "../../../subjects/object-storage/authorisation.ts";
import { deleteEmptyBucket, ensureBucket } from "../../../subjects/object-storage/buckets.ts";
import { buckets, s3Credentials } from "../../../subjects/object-storage/records.ts";
import { receiveText } from "../body.ts";
import { type Call, commit, type Reply } from "../call.ts";
import { integerArgument } from "../integers.ts";
import { refuse } from "../refused.ts";
import { childText, readXml, writeXml } from "../xml.ts";
import { afterOf, tokenOf } from "./page-tokens.ts";

const DEFAULT_REGION = "us-east-1";
const MAX_BUCKETS = 10_000;
const CONSTRAINT = "LocationConstraint";
const MAX_CONFIGURATION_BYTES = 64 * 1024;

/** The owner of all buckets and objects. */
export const OWNER = { ID: "emulator", DisplayName: "emulator" } as const;

/** A time in the format of S3's documents. */
export function isoOf(instant: number): string {
  return new Date(instant).toISOString();
}

/** `ListBuckets`, all of them or `max-buckets` per page. A key pair for one bucket lists only that bucket. */
export function listBuckets(call: Call): Reply {
  const { reader } = call.store.world;
  const { query } = call.target;
  const prefix = query.get("prefix");
  const requestedRegion = query.get("bucket-region");
  const token = query.get("continuation-token");
  const after = token === undefined ? "" : afterOf(token);
  const onlyBucket = reader.get(s3Credentials, call.claim.access_key_id)?.bucket ?? null;
  const matches = [...reader.list(buckets)]
    .filter(
      ({ name }) =>
        name.startsWith(prefix ?? "") && (onlyBucket === null || name === onlyBucket) && name > after,
    )
    .filter(({ region }) => requestedRegion === undefined || requestedRegion === (region ?? DEFAULT_REGION))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = matches.slice(0, maxBucketsOf(call) ?? matches.length);
  const elements = page.map(({ name, created_at }) => ({ Name: name, CreationDate: isoOf(created_at) }));
  const last = page.at(-1);
  const content = {
    Owner: OWNER,
    Buckets: { Bucket: elements },
    ContinuationToken: last && page.length < matches.length ? tokenOf(last.name) : undefined,
    Prefix: prefix,
  };
  return { status: 200, xml: writeXml("ListAllMyBucketsResult", content) };
}

function maxBucketsOf({ target }: Call): number | undefined {
  const text = target.query.get("max-buckets");
  if (text === undefined) return undefined;
  return integerArgument("max-buckets", text, [1, MAX_BUCKETS]);
}

/** `CreateBucket`, with the region that the body names, if any. In the default region it may be repeated. */
export async function createBucket(call: Call): Promise<Reply> {
  const region = await readRegion(call);
  const { bucket } = call.claim;
  commit(call, (turn) => authorise(turn, call.claim) ?? ensureBucket(turn, bucket, region));
  return { status: 200, headers: { location: `/${bucket}` } };
}

async function readRegion({ request, signature }: Call): Promise<string | null> {
  const text = await receiveText(request, signature, { maxBytes: MAX_CONFIGURATION_BYTES });
  if (text.trim() === "") return null;
  const configuration = await readXml(text, "CreateBucketConfiguration");
  const unsupportedElement = Object.keys(configuration).find(
    (name) => name !== CONSTRAINT && name !== "#text",
  );
  if (unsupportedElement)
    throw refuse(
      "NotImplemented",
      `This object store does not implement ${unsupportedElement} of a bucket. Remove it.`,
      {
        Element: unsupportedElement,
      },
    );
  const region = childText(configuration, CONSTRAINT)?.trim() || null;
  // The real service refuses the default region by name.
  if (region === DEFAULT_REGION)
    throw refuse("InvalidLocationConstraint", undefined, { LocationConstraint: region });
  return region;
}

/** `HeadBucket`; succeeds if the key pair has access to the bucket. */
export function headBucket(call: Call): Reply {
  return { status: 200, headers: { "x-amz-bucket-region": regionOf(call) ?? DEFAULT_REGION } };
}

/** `DeleteBucket`, for a bucket without objects. */
export function deleteBucket(call: Call): Reply {
  const { claim } = call;
  commit(call, (turn) => authorise(turn, claim) ?? deleteEmptyBucket(turn, claim.bucket));
  return { status: 204 };
}

/** `GetBucketLocation`; empty for the default region, as in the real service. */
export function getBucketLocation(call: Call): Reply {
  return { status: 200, xml: writeXml("LocationConstraint", regionOf(call)) };
}

/** `GetBucketVersioning`: an empty document means an unversioned bucket. */
export function getBucketVersioning(): Reply {
  return { status: 200, xml: writeXml("VersioningConfiguration", null) };
}

function regionOf({ store, claim }: Call): string | null {
  return store.world.reader.get(buckets, claim.bucket)?.region ?? null;
}
