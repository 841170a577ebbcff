import { type Call, headerNames, headerOf } from "./call.ts";
import { refuse, refuseArgument } from "./refused.ts";

/** The account that owns all buckets, for `x-amz-expected-bucket-owner`. */
const OWNER_ACCOUNT = "000000000000";
/** The version id of every object in an unversioned bucket. */
export const UNVERSIONED = "null";

/** Headers that request something this store does not implement, and the values that change nothing. */
const UNSUPPORTED_HEADERS: readonly { readonly name: RegExp; readonly harmless: readonly string[] }[] = [
  { name: /^x-amz-acl$/, harmless: ["private", "bucket-owner-full-control"] },
  { name: /^x-amz-grant-/, harmless: [] },
  { name: /^x-amz-server-side-encryption$/, harmless: ["AES256"] },
  { name: /^x-amz-(copy-source-)?server-side-encryption/, harmless: [] },
  { name: /^x-amz-website-redirect-location$/, harmless: [] },
  { name: /^x-amz-object-lock-/, harmless: [] },
  { name: /^x-amz-bucket-object-lock-enabled$/, harmless: ["false"] },
  { name: /^x-amz-object-ownership$/, harmless: ["BucketOwnerEnforced"] },
  { name: /^x-amz-tagging$/, harmless: [""] },
  { name: /^x-amz-write-offset-bytes$/, harmless: [] },
];

const EXPECTED_OWNERS = ["x-amz-expected-bucket-owner", "x-amz-source-expected-bucket-owner"];

/** Refuses a request with an unsupported header, another owner or another version. */
export function checkRequest(call: Call): void {
  for (const name of headerNames(call)) {
    const value = headerOf(call, name) ?? "";
    const row = UNSUPPORTED_HEADERS.find((candidate) => candidate.name.test(name));
    if (row && !row.harmless.includes(value)) throw unsupported(name);
  }
  for (const name of EXPECTED_OWNERS) checkOwner(headerOf(call, name));
  checkVersion(call.target.query.get("versionId"));
}

function unsupported(name: string): Error {
  const message = `This object store does not implement the header ${name}. Remove it.`;
  return refuse("NotImplemented", message, { Header: name });
}

function checkOwner(expectedOwner: string | undefined): void {
  if (expectedOwner === undefined || expectedOwner === OWNER_ACCOUNT) return;
  if (/^\d{12}$/.test(expectedOwner))
    throw refuse("AccessDenied", `The buckets belong to ${OWNER_ACCOUNT}, not to ${expectedOwner}.`);
  throw refuse("InvalidBucketOwnerAWSAccountID");
}

/** `null` is the only version, since buckets are unversioned. */
export function checkVersion(version: string | undefined): void {
  if (version === undefined || version === UNVERSIONED) return;
  throw refuseArgument("versionId", version, "Invalid version id specified");
}
