import { integer, mapOf, nullable, object, oneOf, optional, text } from "../../contracts/spec/fields.ts";
import {
  ADDRESSES,
  type Hide,
  hideInJson,
  hideWith,
  isSecretName,
  WEBHOOK_MEMBER,
  withoutUrlSecrets,
} from "../../contracts/spec/secrets.ts";
import { formatInstant, type Instant } from "../kernel/instant.ts";
import { Refusal } from "../kernel/refusal.ts";
import { DEFAULT_API_KEY } from "../subjects/auth.ts";
import { control, type Lines } from "../subjects/control-operation.ts";
import { CONTROL_PREFIX } from "../subjects/control-prefix.ts";
import type { HttpReply, HttpRequest } from "../subjects/message.ts";
import type { RecordedRequest, Recording } from "../subjects/recording.ts";
import type { LimitSettings } from "../subjects/settings.ts";

const MAX_STRING_CHARACTERS = 1024;
const RECORDED_HEADERS = ["content-type", "x-api-key", "x-tenant-id", "x-user-id", "langsmith-project"];

/** Values published with the emulator; not masked, since a replay needs them. */
const PUBLISHED_SECRETS = new Set(["emulator-secret", "emulator-key"]);
const LEFT_OUT = "left-out";
const NO_BODY = new Uint8Array(0);

const MAX_SHOWN_CHARACTERS = 200;

/** A line of the recording. Streams and replies that were too long to record have no `reply`, and cannot be checked. */
const EXCHANGE = object({
  at: optional(text()),
  region: optional(oneOf(["us", "eu"])),
  method: text({ minLength: 1 }),
  path: text({ pattern: "^/" }),
  query: optional(text()),
  headers: optional(mapOf(text())),
  body: optional(nullable(text())),
  status: integer({ minimum: 100, maximum: 599 }),
  reply: text(),
});

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

type RecordingLimits = Pick<LimitSettings, "recorded_requests" | "recorded_bytes" | "recorded_body_bytes">;

/** Retains the newest requests of a world, within the limits. */
export function createRecording(
  isFresh: boolean,
  { recorded_requests, recorded_bytes, recorded_body_bytes }: RecordingLimits,
): Recording {
  /** A ring: request n is at n modulo the capacity. */
  const ring: (StoredRequest | undefined)[] = [];
  let [first, next] = [0, 0];
  let headers: StoredRequest["headers"] = {};
  let bytes = 0;
  let isComplete = isFresh;
  let arrivals = 0;

  function dropFirst(): void {
    bytes -= ring[first % recorded_requests]?.bytes ?? 0;
    ring[first % recorded_requests] = undefined;
    first += 1;
    isComplete = false;
  }

  const inOrder = () => ring.flatMap((each) => each ?? []).sort((a, b) => a.arrival - b.arrival);

  return {
    record(request, now) {
      arrivals += 1;
      const arrival = arrivals;
      return (reply) => {
        headers = recordedHeaders(request, headers);
        const storedExchange = storedRequest(
          { arrival, at: now, headers },
          request,
          reply,
          recorded_body_bytes,
        );
        bytes += storedExchange.bytes;
        while (next - first === recorded_requests || bytes > recorded_bytes) dropFirst();
        ring[next % recorded_requests] = storedExchange;
        next += 1;
      };
    },
    get isComplete() {
      return isComplete;
    },
    get requests() {
      const labels = new Map<string, string>([[DEFAULT_API_KEY, DEFAULT_API_KEY]]);
      return inOrder().map((each) => recordOf(each, labels));
    },
    get summaries() {
      return inOrder().map(({ arrival, at, method, path, status }) => ({
        number: arrival,
        at: formatInstant(at),
        method,
        path,
        status,
      }));
    },
    find(number) {
      const request = inOrder().find(({ arrival }) => arrival === number);
      return request && recordOf(request, new Map([[DEFAULT_API_KEY, DEFAULT_API_KEY]]));
    },
  };
}

/** The requests up to an instant, for reads of the history, which are not recorded themselves. */
export function recordingUpTo(recording: Recording, now: Instant): Recording {
  const until = formatInstant(now);
  return {
    record: () => () => undefined,
    get isComplete() {
      return recording.isComplete;
    },
    get requests() {
      return recording.requests.filter(({ at }) => at <= until);
    },
    get summaries() {
      return recording.summaries.filter(({ at }) => at <= until);
    },
    find: (number) => recording.find(number),
  };
}

/** The operation that returns the recorded requests. */
export const RECORDING_OPERATIONS = [
  control({
    method: "GET",
    path: "/recording",
    summary: "Return the latest requests and their replies as NDJSON, without secrets.",
    run: ({ recording, world }): Lines => ({ lines: linesOf(recording, world.seed) }),
  }),
  control({
    method: "POST",
    path: "/recording/check",
    recorded: false,
    summary:
      "Check one exchange (a request with its reply), given as a line of the recording, against the contract.",
    body: EXCHANGE,
    async run(context, { body }) {
      const verdict = await context.checkExchange({
        query: "",
        region: "us",
        headers: {},
        body: null,
        ...body,
      });
      if (verdict) return verdict;
      const call = `${body.method} ${body.path}`.slice(0, MAX_SHOWN_CHARACTERS);
      throw new Refusal(
        422,
        "not_of_this_api",
        `${call} is not an operation of the API, so it cannot be checked.`,
        "GET /openapi.json lists the operations.",
      );
    },
  }),
] as const;

async function* linesOf({ isComplete, requests }: Recording, seed: number): AsyncIterable<string> {
  yield `${JSON.stringify({ seed, complete: isComplete, requests: requests.length })}\n`;
  for (const request of requests) yield `${JSON.stringify(request)}\n`;
}

/** A request as received; it is formatted only when the recording is read. */
interface StoredRequest extends Pick<HttpRequest, "region" | "method" | "path" | "query"> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** Set later: replies come in a different order from requests. */
  readonly arrival: number;
  readonly at: Instant;
  readonly status: number;
  /** Long bodies are kept as bytes, which the garbage collector does not move. */
  readonly reply: string | Uint8Array | null;
  /** What it counts towards the limit. */
  readonly bytes: number;
}

/** Shares the headers of the previous request if they are equal: most clients send the same with each request. */
function recordedHeaders(
  { headers }: HttpRequest,
  latest: StoredRequest["headers"],
): StoredRequest["headers"] {
  if (RECORDED_HEADERS.every((name) => headers[name] === latest[name])) return latest;
  const copiedHeaders: Record<string, string> = {};
  for (const name of RECORDED_HEADERS) if (headers[name] !== undefined) copiedHeaders[name] = headers[name];
  return copiedHeaders;
}

function storedRequest(
  { arrival, at, headers }: Pick<StoredRequest, "arrival" | "at" | "headers">,
  { region, method, path, query, body: requestBody }: HttpRequest,
  { status, headers: { "content-type": type }, body: replied }: HttpReply,
  maxBytes: number,
): StoredRequest {
  // A copy: the original may be a small part of the large buffer that it was received in.
  const body =
    requestBody.length > maxBytes ? null : requestBody.length === 0 ? NO_BODY : new Uint8Array(requestBody);
  const reply = storedReply(replied, type, maxBytes);
  return {
    arrival,
    region,
    method,
    path,
    query,
    headers,
    body,
    at,
    status,
    reply,
    bytes: path.length + query.length + (body?.length ?? 0) + (reply?.length ?? 0),
  };
}

/** The text of a reply; a long one shares its bytes with what was sent. */
function storedReply(
  body: HttpReply["body"],
  type: string | undefined,
  maxBytes: number,
): StoredRequest["reply"] {
  const isText = typeof body === "string" || (body instanceof Uint8Array && type === "application/json");
  if (!isText || body.length > maxBytes) return null;
  return typeof body === "string" && body.length >= MAX_STRING_CHARACTERS ? encoder.encode(body) : body;
}

function recordOf({ at, body, reply, ...rest }: StoredRequest, labels: Map<string, string>): RecordedRequest {
  const { region, method, path, query, headers, status } = rest;
  return {
    at: formatInstant(at),
    region,
    method,
    path,
    query: withoutUrlSecrets(`?${query}`, LEFT_OUT).slice(1),
    headers: withoutKey(headers, labels),
    body: body && withoutSecrets(path, decodeText(body)),
    status,
    reply: reply && withoutSecrets(path, typeof reply === "string" ? reply : decodeText(reply)),
  };
}

/** Replaces keys with labels. */
function withoutKey(
  headers: RecordedRequest["headers"],
  labels: Map<string, string>,
): RecordedRequest["headers"] {
  const key = headers["x-api-key"];
  if (key === undefined) return headers;
  const label = labels.get(key) ?? `key-${labels.size}`;
  labels.set(key, label);
  return { ...headers, "x-api-key": label };
}

function decodeText(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

const hide = hideWith(LEFT_OUT);
const hideOfControl = hideWith(LEFT_OUT, ADDRESSES);

function withoutSecrets(path: string, text: string | null): string | null {
  if (text === null) return text;
  const isControl = path.startsWith(CONTROL_PREFIX);
  const maskedText = withoutUrlSecrets(text, LEFT_OUT);
  if (!isControl && !text.includes(`"${WEBHOOK_MEMBER}"`) && !isSecretName(text)) return maskedText;
  const hideUnknown: Hide = (at, value) =>
    PUBLISHED_SECRETS.has(String(value)) ? value : (isControl ? hideOfControl : hide)(at, value);
  try {
    return hideInJson(maskedText, hideUnknown);
  } catch {
    return isControl && !isSecretName(text) ? maskedText : null;
  }
}
