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
import { fitsPattern, type MatchValue } from "./match.ts";
import { httpOperation } from "./operations.ts";
import { unknownWord } from "./words.ts";

const MAX_TEXT = 2048;
const MAX_CHOICES = 20;
const MAX_COUNT = 1_000_000;
const MAX_COPIES = 100;
const MAX_HEADERS = 50;
const MAX_BODY = 1_000_000;

/** Reads what a key of `match` was given. */
export function readMatchValue(kind: MatchKind, where: string, given: unknown): MatchValue {
  if (!Array.isArray(given) || kind === "count") return MATCH[kind](where, given);
  if (given.length === 0 || given.length > MAX_CHOICES)
    throw new Refusal(422, "invalid_match", `${where}: a list has 1 to ${MAX_CHOICES} values.`);
  return given.map((value, index) => MATCH[kind](`${where}[${index}]`, value));
}

const MATCH: Readonly<Record<MatchKind, (where: string, given: unknown) => string | number>> = {
  text: textAt,
  id: (where, given) => textAt(where, given).toLowerCase(),
  point: (where, given) => (given === "*" ? "*" : wordAt("unknown_point", FAULT_POINT_NAMES)(where, given)),
  s3_operation: patternOf("unknown_operation", Object.keys(OPERATION_PERMISSIONS)),
  operation: httpOperation,
  region: (where, given) => (given === "*" ? "*" : wordAt("unknown_region", FAULT_REGIONS)(where, given)),
  number: numberAt(0),
  count: numberAt(1),
};

/** Reads what a member of `then` was given. */
export function readThenValue(kind: ThenKind, where: string, given: unknown): unknown {
  return THEN[kind](where, given);
}

const THEN: Readonly<Record<ThenKind, (where: string, given: unknown) => unknown>> = {
  yes(where, given) {
    if (given === true) return true;
    throw new Refusal(422, "invalid_then", `${where}: takes only true.`);
  },
  duration(where, given) {
    if (typeof given === "string" && (parseDuration(given) ?? 0) > 0) return given;
    throw new Refusal(
      422,
      "invalid_duration",
      `${where}: must be an ISO 8601 duration that is longer than nothing.`,
      "For example PT30S, PT4H1S or P3D; months and years have no fixed length.",
    );
  },
  processing_error: wordAt("unknown_error", PROCESSING_ERRORS),
  s3_error: wordAt("unknown_error_code", Object.keys(S3_ERRORS)),
  name_or_yes: (where, given) => (given === true ? true : textAt(where, given)),
  status(where, given) {
    if (Number.isInteger(given) && (given as number) >= 200 && (given as number) <= 599) return given;
    throw new Refusal(422, "invalid_status", `${where}: must be a whole number from 200 to 599.`);
  },
  copies: numberAt(1, MAX_COPIES),
  json(where, given) {
    if ((JSON.stringify(given) ?? "").length <= MAX_BODY) return given;
    throw new Refusal(422, "invalid_then", `${where}: is longer than ${MAX_BODY} characters.`);
  },
  headers: headersAt,
};

function textAt(where: string, given: unknown): string {
  if (typeof given === "string" && given.length > 0 && given.length <= MAX_TEXT) return given;
  throw new Refusal(
    422,
    "invalid_match",
    `${where}: must be text of 1 to ${MAX_TEXT} characters.`,
    "* stands for anything.",
  );
}

function numberAt(least: number, most = MAX_COUNT) {
  return (where: string, given: unknown): number => {
    if (Number.isInteger(given) && (given as number) >= least && (given as number) <= most)
      return given as number;
    throw new Refusal(422, "invalid_count", `${where}: must be a whole number from ${least} to ${most}.`);
  };
}

function wordAt(code: string, words: readonly string[]) {
  return (where: string, given: unknown): string => {
    if (typeof given === "string" && words.includes(given)) return given;
    throw unknownWord(code, where, given, words);
  };
}

function patternOf(code: string, words: readonly string[]) {
  return (where: string, given: unknown): string => {
    if (typeof given === "string" && words.some((word) => fitsPattern(given, word))) return given;
    throw unknownWord(code, where, given, words);
  };
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]{1,128}$/;
const HEADER_VALUE = /^[\t\x20-\x7e]{0,4096}$/;
/** The server sets these from the body that it sends. */
const OWN_HEADERS = ["content-length", "transfer-encoding"];

function headersAt(where: string, given: unknown): Readonly<Record<string, string>> {
  const entries =
    typeof given === "object" && given !== null && !Array.isArray(given) ? Object.entries(given) : [];
  if (entries.length === 0 || entries.length > MAX_HEADERS)
    throw new Refusal(422, "invalid_then", `${where}: must be an object of 1 to ${MAX_HEADERS} headers.`);
  for (const [name, value] of entries) {
    if (!HEADER_NAME.test(name) || OWN_HEADERS.includes(name.toLowerCase()))
      throw new Refusal(
        422,
        "invalid_then",
        `${where}: ${JSON.stringify(name)} is no header that can be set.`,
      );
    if (typeof value !== "string" || !HEADER_VALUE.test(value))
      throw new Refusal(422, "invalid_then", `${where}.${name}: must be printable ASCII text.`);
  }
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}
