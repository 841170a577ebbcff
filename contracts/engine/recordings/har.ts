import { instantOf } from "../instant.ts";
import { isMembers, jsonOf, type Members } from "../json.ts";
import type { RecordedExchange } from "../recorded.ts";
import {
  ENCODED_BODY,
  FROM_CACHE,
  NO_REPLY,
  NO_REPLY_BODY,
  PARTIAL_BODY,
  type RecordedEntry,
  RecordingError,
} from "./recorded-entry.ts";

/** The entries of a HAR log, in the order in which their requests were sent. Throws `RecordingError`. */
export function harEntries(log: Members): readonly RecordedEntry[] {
  const { entries } = log;
  if (!Array.isArray(entries))
    throw new RecordingError("the HAR log has no list of entries; export the file again");
  return entries.map(entryOf).sort((a, b) => a.startedAt - b.startedAt);
}

function entryOf(entry: unknown, index: number): RecordedEntry {
  const place = index + 1;
  const { request, response, startedDateTime, time, _fromCache } = isMembers(entry) ? entry : {};
  if (!isMembers(request) || !isMembers(response))
    throw new RecordingError(`entry ${place} has no request or no response, which HAR 1.2 requires`);
  const exchange = exchangeOf(request, response);
  if (exchange === undefined)
    throw new RecordingError(`entry ${place} has no method, url or status, which HAR 1.2 requires`);
  const startedAt = instantOf(startedDateTime);
  const begin = Number.isNaN(startedAt) ? place : startedAt;
  const unreadable = _fromCache ? FROM_CACHE : problemOf(exchange, response);
  return {
    place,
    exchange,
    startedAt: begin,
    endedAt: begin + (typeof time === "number" && time > 0 ? time : 0),
    ...(unreadable !== undefined && { unreadable }),
  };
}

function exchangeOf(request: Members, response: Members): RecordedExchange | undefined {
  const { method, url } = request;
  const { status } = response;
  if (typeof method !== "string" || typeof url !== "string" || typeof status !== "number") return undefined;
  const requestHeaders = headersOf(request.headers);
  const requestBody = "content-encoding" in requestHeaders ? undefined : textOf(request.postData);
  const body = textOf(response.content);
  return {
    method,
    url,
    requestHeaders,
    ...(requestBody !== undefined && { requestBody }),
    status,
    headers: { ...mediaTypeOf(response.content), ...headersOf(response.headers) },
    ...(body !== undefined && { body }),
    ...(request._region === "eu" && { region: "eu" }),
  };
}

function problemOf(
  { status, body, headers = {} }: RecordedExchange,
  { content }: Members,
): string | undefined {
  if (status === 0) return NO_REPLY;
  const { size = 0, encoding } = isMembers(content) ? content : {};
  const isEmpty = status === 204 || status === 304 || (isMembers(content) && size === 0);
  if (body === undefined) return isEmpty ? undefined : NO_REPLY_BODY;
  if (typeof body !== "string" || jsonOf(body) !== undefined) return undefined;
  if (encoding === "base64" && headers["content-encoding"] !== undefined) return ENCODED_BODY;
  return Number(size) > Buffer.byteLength(body) ? PARTIAL_BODY : undefined;
}

/** Some tools record the type of a body but no headers. */
function mediaTypeOf(content: unknown): Readonly<Record<string, string>> {
  return isMembers(content) && typeof content.mimeType === "string"
    ? { "content-type": content.mimeType }
    : {};
}

/** Names in lower case; values of a repeated header are joined as HTTP does. */
function headersOf(headers: unknown): Readonly<Record<string, string>> {
  const joined: Record<string, string> = {};
  for (const header of Array.isArray(headers) ? headers.filter(isMembers) : []) {
    const name = String(header.name).toLowerCase();
    const before = joined[name];
    if (!name.startsWith(":")) joined[name] = (before === undefined ? "" : `${before}, `) + header.value;
  }
  return joined;
}

function textOf(content: unknown): string | undefined {
  if (!isMembers(content) || typeof content.text !== "string") return undefined;
  return content.encoding === "base64" ? Buffer.from(content.text, "base64").toString("utf8") : content.text;
}
