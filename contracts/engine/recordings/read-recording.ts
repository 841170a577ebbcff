import { BOUNDS } from "../../spec/bounds.ts";
import { isDeeperThan, isMembers, jsonOf, type Members } from "../json.ts";
import type { RecordedExchange } from "../recorded.ts";
import { harEntries } from "./har.ts";
import { NO_REPLY_BODY, type RecordedEntry, RecordingError } from "./recorded-entry.ts";

const MAX_LEVELS = BOUNDS.json_levels.value;

const FORMATS = "give a HAR file, or a recording of an emulator (NDJSON)";

/** The exchanges in the text of a file: HAR, or lines of `GET /_emulator/v1/recording`. Throws `RecordingError`. */
export function readRecording(text: string): readonly RecordedEntry[] {
  if (isDeeperThan(MAX_LEVELS, text))
    throw new RecordingError(`the JSON of the file is nested more than ${MAX_LEVELS} levels deep`);
  const [, firstLine = ""] = /^\s*(.*)$/m.exec(text) ?? [];
  const first = jsonOf(firstLine);
  if (isMembers(first) && !("log" in first)) return lineEntries(text);
  const isOneLine = text.trim() === firstLine.trim();
  const whole = isOneLine && (first !== undefined || firstLine === "") ? first : parse(text);
  if (isMembers(whole) && isMembers(whole.log)) return harEntries(whole.log);
  throw new RecordingError(`the file does not have a format that can be checked; ${FORMATS}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RecordingError(`line ${lineOf(text, invalidOffset(text))} is not valid JSON; ${FORMATS}`);
  }
}

/** Where a text stops being the begin of a JSON text. The parser's message shows content, and not always the place. */
function invalidOffset(text: string): number {
  let [valid, invalid] = [0, text.length + 1];
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (isBegin(text.slice(0, middle))) valid = middle;
    else invalid = middle;
  }
  return valid;
}

function isBegin(prefix: string): boolean {
  try {
    JSON.parse(prefix);
    return true;
  } catch (error) {
    const { message } = error as Error;
    return / end of JSON|^Unterminated/.test(message) || message.endsWith(` position ${prefix.length}`);
  }
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function lineEntries(text: string): readonly RecordedEntry[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const place = index + 1;
    const value = jsonOf(line);
    if (!isMembers(value)) throw new RecordingError(`line ${place} is not a JSON object`);
    // The first line of a recording describes it.
    if ("seed" in value && !("method" in value)) return [];
    return [{ place, line: place, startedAt: place, endedAt: place, ...exchangeOf(value, place) }];
  });
}

/** A line of a recording, or a `RecordedExchange` as `expectContract` accepts it. */
function exchangeOf(line: Members, place: number): Pick<RecordedEntry, "exchange" | "unreadable"> {
  const { method, path, query, url, status, headers, body, reply, region, requestHeaders, requestBody } =
    line;
  const isLine = typeof path === "string";
  const address = isLine ? path + (query ? `?${query}` : "") : url;
  if (typeof method !== "string" || typeof address !== "string" || typeof status !== "number")
    throw new RecordingError(`line ${place} has no method, path or status, which a recording has`);
  const [sentHeaders, sentBody, answer] = isLine
    ? [headers, body, reply]
    : [requestHeaders, requestBody, body];
  const exchange: RecordedExchange = {
    method,
    url: address,
    status,
    region: region === "eu" ? "eu" : "us",
    ...(isMembers(sentHeaders) && { requestHeaders: sentHeaders as Readonly<Record<string, string>> }),
    ...(sentBody !== undefined && sentBody !== null && { requestBody: sentBody }),
    ...(!isLine && isMembers(headers) && { headers }),
    ...(answer !== undefined && answer !== null && { body: answer }),
  };
  return { exchange, ...(isLine && typeof reply !== "string" && { unreadable: NO_REPLY_BODY }) };
}
