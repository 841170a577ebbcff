import type { DeleteCondition, WriteCondition } from "../../subjects/object-storage/objects.ts";
import type { StoredObject } from "../../subjects/object-storage/records.ts";
import { headerOf, type SentRequest } from "./call.ts";
import { integerOf } from "./integers.ts";
import { unquoted } from "./object-headers.ts";
import { refuse } from "./refused.ts";

type ConditionResult = "pass" | "not_modified" | "failed";

/** Checks the conditions of a read in the order of RFC 9110 §13.2.2; `prefix` is for copy sources. */
export function checkReadConditions(call: SentRequest, object: StoredObject, prefix = ""): ConditionResult {
  const header = (name: string): string | undefined => headerOf(call, `${prefix}${name}`);
  const seconds = Math.floor(object.last_modified / 1000);
  const match = header("if-match");
  const noneMatch = header("if-none-match");
  const unmodifiedSince = secondsOf(header("if-unmodified-since"));
  const modifiedSince = secondsOf(header("if-modified-since"));
  if (match !== undefined) {
    if (!matches(match, object.etag)) return "failed";
  } else if (unmodifiedSince !== undefined && seconds > unmodifiedSince) return "failed";
  if (noneMatch !== undefined) return matches(noneMatch, object.etag) ? "not_modified" : "pass";
  return modifiedSince !== undefined && seconds <= modifiedSince ? "not_modified" : "pass";
}

function matches(list: string, etag: string): boolean {
  return list.split(",").some((item) => {
    const expectedEtag = unquoted(item.trim().replace(/^W\//, ""));
    return expectedEtag === "*" || expectedEtag === etag;
  });
}

/** An invalid date is ignored. */
function secondsOf(date: string | undefined): number | undefined {
  const millis = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(millis) ? undefined : Math.floor(millis / 1000);
}

/** The conditions of a write: `If-None-Match: *` and `If-Match` with one tag. */
export function writeConditionOf(call: SentRequest): WriteCondition {
  const noneMatch = headerOf(call, "if-none-match");
  const match = headerOf(call, "if-match");
  if (noneMatch !== undefined && noneMatch !== "*") {
    throw refuse("NotImplemented", undefined, { Header: "If-None-Match" });
  }
  return { ...(noneMatch && { absent: true }), ...(match !== undefined && { etag: unquoted(match) }) };
}

/** The conditions of a deletion, from headers or from an element of a list of keys. */
export interface DeleteConditionTexts {
  readonly etag: string | undefined;
  readonly size: string | undefined;
  readonly lastModified: string | undefined;
}

/** Reads the conditions of a deletion. An invalid condition is refused, since the object would be deleted without it. */
export function deleteConditionOf({ etag, size, lastModified }: DeleteConditionTexts): DeleteCondition {
  const seconds = secondsOf(lastModified);
  if (lastModified !== undefined && seconds === undefined)
    throw refuse("InvalidArgument", "The last-modified time of the condition is not a date.");
  const bytes = integerOf(size?.trim());
  if (size !== undefined && Number.isNaN(bytes))
    throw refuse("InvalidArgument", "The size of the condition is not an integer.");
  return {
    ...(etag !== undefined && { etag: unquoted(etag) }),
    ...(size !== undefined && { size: bytes }),
    ...(seconds !== undefined && { lastModifiedSeconds: seconds }),
  };
}
