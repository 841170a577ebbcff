import { text } from "../../../contracts/spec/fields.ts";
import { type S3Failure, s3Failure } from "./errors.ts";

/** Does not look like an IP address, and has no dot next to a dot or a hyphen. */
const BUCKET_NAME_PATTERN =
  /^(?!\d{1,3}(?:\.\d{1,3}){3}$)(?!.*(?:\.\.|\.-|-\.))[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** Valid bucket names of S3 are host names, so they are safe folder names too. */
export const BUCKET_NAME = text({
  pattern: BUCKET_NAME_PATTERN.source,
  title: "a bucket name of 3 to 63 small letters, digits, dots and hyphens",
});

export function isBucketName(name: string): boolean {
  return BUCKET_NAME_PATTERN.test(name);
}

const MAX_KEY_BYTES = 1024;

/** The error of an invalid key; undefined for a valid one. */
export function keyError(key: string): S3Failure | undefined {
  if (key === "") return s3Failure("InvalidArgument", "The object key is empty. Specify a key.");
  const bytes = Buffer.byteLength(key);
  if (bytes <= MAX_KEY_BYTES) return undefined;
  return s3Failure("KeyTooLongError", undefined, {
    Size: String(bytes),
    MaxSizeAllowed: String(MAX_KEY_BYTES),
  });
}

const SURROGATE = /[\ud800-\udfff]/;

/** S3 orders keys by their UTF-8 bytes, which differs from UTF-16 order beyond the basic target. */
export function sortKeys(keys: string[]): string[] {
  return keys.some((key) => SURROGATE.test(key)) ? keys.sort(compareKeys) : keys.sort();
}

/** Compares in the order of UTF-8 bytes. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return byteRank(left) - byteRank(right);
  }
  return a.length - b.length;
}

/** Surrogates encode characters above U+FFFF, so they rank after all other code units. */
function byteRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
