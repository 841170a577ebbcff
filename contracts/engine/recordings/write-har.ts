import { jsonOf } from "../json.ts";
import type { RecordingLine } from "../recorded.ts";

/** A recorded request with the virtual time at which it was received. */
interface TimedLine extends RecordingLine {
  readonly at: string;
}

interface HarOptions {
  /** The address of the world. */
  readonly url: string;
  readonly version: string;
}

/** HAR 1.2 of a recording, which contains no secrets. Times are virtual; durations and reply headers are not recorded. */
export function harOf(lines: readonly TimedLine[], { url, version }: HarOptions): object {
  const creator = { name: "trace-platform-emulator", version };
  return { log: { version: "1.2", creator, entries: lines.map((line) => entryOf(line, url)) } };
}

function entryOf({ at, region, method, path, query, headers, body, status, reply }: TimedLine, url: string) {
  const common = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1 };
  const request = {
    ...common,
    method,
    url: url + path + (query === "" ? "" : `?${query}`),
    headers: pairsOf(Object.entries(headers)),
    queryString: pairsOf(new URLSearchParams(query)),
    bodySize: sizeOf(body),
    ...(body && { postData: { mimeType: headers["content-type"] ?? "", text: body } }),
    _region: region,
  };
  const mimeType = jsonOf(reply ?? "") === undefined ? "text/plain" : "application/json";
  const response = {
    ...common,
    status,
    statusText: "",
    headers: pairsOf([["content-type", mimeType]]),
    content: { size: sizeOf(reply), mimeType, ...(reply !== null && { text: reply }) },
    redirectURL: "",
    bodySize: sizeOf(reply),
  };
  const timings = { send: 0, wait: 0, receive: 0 };
  return { startedDateTime: at, time: 0, request, response, cache: {}, timings };
}

function pairsOf(pairs: Iterable<readonly [string, string]>) {
  return [...pairs].map(([name, value]) => ({ name, value }));
}

/** Bytes of a text; -1 for one that was not recorded. */
function sizeOf(text: string | null): number {
  return text === null ? -1 : new TextEncoder().encode(text).length;
}
