import { type Call, headerNames, headerOf } from "./call.ts";
import { refuse } from "./refused.ts";

/** The account that owns all buckets, for `x-amz-expected-bucket-owner`. */
const OWNER_ACCOUNT = "000000000000";
/** The only version that an object of an unversioned bucket has. */
export const UNVERSIONED = "null";

/** Headers that change what is done in a way that this store does not know, and the values that change nothing. */
const UNSUPPORTED: readonly { readonly name: RegExp; readonly harmless: readonly string[] }[] = [
  { name: /^x-amz-acl$/, harmless: ["private", "bucket-owner-full-control"] },
  { name: /^x-amz-grant-/, harmless: [] },
  { name: /^x-amz-storage-class$/, harmless: ["STANDARD"] },
  { name: /^x-amz-(copy-source-)?server-side-encryption/, harmless: [] },
  { name: /^x-amz-website-redirect-location$/, harmless: [] },
  { name: /^x-amz-object-lock-/, harmless: [] },
  { name: /^x-amz-bucket-object-lock-enabled$/, harmless: ["false"] },
  { name: /^x-amz-object-ownership$/, harmless: ["BucketOwnerEnforced"] },
  { name: /^x-amz-tagging$/, harmless: [""] },
  { name: /^x-amz-write-offset-bytes$/, harmless: [] },
];

const EXPECTED_OWNERS = ["x-amz-expected-bucket-owner", "x-amz-source-expected-bucket-owner"];

/** Refuses a request that asks for more than this store does, or expects another owner or version, rather than ignore it. */
export function checkRequest(call: Call): void {
  for (const name of headerNames(call)) {
    const value = headerOf(call, name) ?? "";
    const row = UNSUPPORTED.find((candidate) => candidate.name.test(name));
    if (row && !row.harmless.includes(value)) throw unsupported(name);
  }
  for (const name of EXPECTED_OWNERS) checkOwner(headerOf(call, name));
  checkVersion(call.target.query.get("versionId"));
}

function unsupported(name: string): Error {
  const message = `This object store does not implement what the header ${name} asks for; leave it out.`;
  return refuse("NotImplemented", message, { Header: name });
}

function checkOwner(expected: string | undefined): void {
  if (expected === undefined || expected === OWNER_ACCOUNT) return;
  if (/^\d{12}$/.test(expected)) throw refuse("AccessDenied", `The buckets belong to ${OWNER_ACCOUNT}.`);
  throw refuse("InvalidBucketOwnerAWSAccountID");
}

/** No bucket has versions besides `null`. */
export function checkVersion(version: string | undefined): void {
  if (version === undefined || version === UNVERSIONED) return;
  throw refuse("InvalidArgument", "Invalid version id specified", {
    ArgumentName: "versionId",
    ArgumentValue: version.slice(0, 100),
  });
}
