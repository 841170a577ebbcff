import {
  FAULT_POINT_NAMES,
  FAULT_REGIONS,
  type MatchKind,
  PROCESSING_ERRORS,
  type ThenKind,
} from "../../../contracts/spec/faults.ts";
import { parseDuration } from "../../kernel/duration.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { S3_ERRORS } from "../object-storage/errors.ts";
import { OPERATION_PERMISSIONS } from "../object-storage/permissions.ts";
import { matchesPattern } from "./match.ts";
import { httpOperation } from "./operations.ts";
import type { MatchValue } from "./records.ts";
import { unknownWord } from "./words.ts";

const MAX_TEXT_LENGTH = 2048;
const MAX_CHOICES = 20;
const MAX_COUNT = 1_000_000;
const MAX_COPIES = 100;
const MAX_HEADERS = 50;
const MAX_BODY_LENGTH = 1_000_000;

/** Reads the value of a key of `match`. Throws a `Refusal` (422). */
export function readMatchValue(kind: MatchKind, where: string, input: unknown): MatchValue {
  if (!Array.isArray(input) || kind === "count") return MATCH[kind](where, input);
  if (input.length === 0 || input.length > MAX_CHOICES)
    throw new Refusal(
      422,
      "invalid_match",
      `${where}: has ${input.length} values, but a list takes 1 to ${MAX_CHOICES}.`,
    );
  return input.map((value, index) => MATCH[kind](`${where}[${index}]`, value));
}

export const countAt = numberAt(1);

const MATCH: Readonly<Record<MatchKind, (where: string, input: unknown) => string | number>> = {
  text: textAt,
  id: (where, input) => textAt(where, input).toLowerCase(),
  point: (where, input) => (input === "*" ? "*" : wordAt("unknown_point", FAULT_POINT_NAMES)(where, input)),
  s3_operation: patternOf("unknown_operation", Object.keys(OPERATION_PERMISSIONS)),
  operation: httpOperation,
  region: (where, input) => (input === "*" ? "*" : wordAt("unknown_region", FAULT_REGIONS)(where, input)),
  number: numberAt(0),
  count: countAt,
};

/** Reads the value of a member of `then`. Throws a `Refusal` (422). */
export function readThenValue(kind: ThenKind, where: string, input: unknown): unknown {
  return THEN[kind](where, input);
}

const THEN: Readonly<Record<ThenKind, (where: string, input: unknown) => unknown>> = {
  yes(where, input) {
    if (input === true) return true;
    throw new Refusal(422, "invalid_then", `${where}: must be true.`);
  },
  duration(where, input) {
    if (typeof input === "string" && (parseDuration(input) ?? 0) > 0) return input;
    throw new Refusal(
      422,
      "invalid_duration",
      `${where}: must be a duration longer than zero.`,
      "For example 30s, 4h1s or P3D; months and years have no fixed length.",
    );
  },
  processing_error: wordAt("unknown_error", PROCESSING_ERRORS),
  s3_error: wordAt("unknown_error_code", Object.keys(S3_ERRORS)),
  name_or_yes: (where, input) => (input === true ? true : textAt(where, input)),
  status(where, input) {
    if (Number.isInteger(input) && (input as number) >= 200 && (input as number) <= 599) return input;
    throw new Refusal(422, "invalid_status", `${where}: must be a whole number from 200 to 599.`);
  },
  copies: numberAt(1, MAX_COPIES),
  json(where, input) {
    if ((JSON.stringify(input) ?? "").length <= MAX_BODY_LENGTH) return input;
    throw new Refusal(422, "invalid_then", `${where}: is longer than ${MAX_BODY_LENGTH} characters.`);
  },
  headers: headersAt,
};

function textAt(where: string, input: unknown): string {
  if (typeof input === "string" && input.length > 0 && input.length <= MAX_TEXT_LENGTH) return input;
  throw new Refusal(
    422,
    "invalid_match",
    `${where}: must be text of 1 to ${MAX_TEXT_LENGTH} characters.`,
    "An asterisk (*) matches any text.",
  );
}

function numberAt(least: number, most = MAX_COUNT) {
  return (where: string, input: unknown): number => {
    if (Number.isInteger(input) && (input as number) >= least && (input as number) <= most)
      return input as number;
    throw new Refusal(422, "invalid_count", `${where}: must be a whole number from ${least} to ${most}.`);
  };
}

function wordAt(code: string, words: readonly string[]) {
  return (where: string, input: unknown): string => {
    if (typeof input === "string" && words.includes(input)) return input;
    throw unknownWord(code, where, input, words);
  };
}

function patternOf(code: string, words: readonly string[]) {
  return (where: string, input: unknown): string => {
    if (typeof input === "string" && words.some((word) => matchesPattern(input, word))) return input;
    throw unknownWord(code, where, input, words);
  };
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]{1,128}$/;
const HEADER_VALUE = /^[\t\x20-\x7e]{0,4096}$/;
/** The server derives these from the body. */
const OWN_HEADERS = ["content-length", "transfer-encoding"];

function headersAt(where: string, input: unknown): Readonly<Record<string, string>> {
  const entries =
    typeof input === "object" && input !== null && !Array.isArray(input) ? Object.entries(input) : [];
  if (entries.length === 0 || entries.length > MAX_HEADERS)
    throw new Refusal(422, "invalid_then", `${where}: must be an object of 1 to ${MAX_HEADERS} headers.`);
  for (const [name, value] of entries) {
    if (!HEADER_NAME.test(name) || OWN_HEADERS.includes(name.toLowerCase()))
      throw new Refusal(
        422,
        "invalid_then",
        `${where}: ${JSON.stringify(name)} is not a header that a fault can set.`,
      );
    if (typeof value !== "string" || !HEADER_VALUE.test(value))
      throw new Refusal(422, "invalid_then", `${where}.${name}: must be printable ASCII text.`);
  }
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}
