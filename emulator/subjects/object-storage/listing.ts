import { compareKeys, sortKeys } from "./names.ts";

/** The requested keys of a bucket. */
export interface ListingRequest {
  readonly prefix: string;
  /** Empty for none. */
  readonly delimiter: string;
  /** Only keys after it; may be a common prefix that was already returned. */
  readonly after: string;
  readonly max: number;
}

/** One page of a bucket; keys and common prefixes are each in the order of UTF-8 bytes. */
export interface Listing {
  readonly keys: readonly string[];
  readonly common_prefixes: readonly string[];
  readonly is_truncated: boolean;
  /** The last key or common prefix of the page: `after` for the next page. */
  readonly next: string;
}

/** One page of keys, common prefixes rolled up, in the order of UTF-8 bytes. */
export function listKeys(all: Iterable<string>, request: ListingRequest): Listing {
  const { prefix, delimiter, after, max } = request;
  const keys: string[] = [];
  const prefixes: string[] = [];
  let next = "";
  let isTruncated = false;
  for (const key of sortKeys(candidates(all, prefix, after))) {
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const group = end === -1 ? undefined : key.slice(0, end + delimiter.length);
    if (group !== undefined && (group === after || group === prefixes.at(-1))) continue;
    if (keys.length + prefixes.length >= max) {
      isTruncated = max > 0;
      break;
    }
    (group === undefined ? keys : prefixes).push(group ?? key);
    next = group ?? key;
  }
  return { keys, common_prefixes: prefixes, is_truncated: isTruncated, next };
}

function candidates(all: Iterable<string>, prefix: string, after: string): string[] {
  const matches: string[] = [];
  for (const key of all) {
    if (key.startsWith(prefix) && (after === "" || compareKeys(key, after) > 0)) matches.push(key);
  }
  return matches;
}
