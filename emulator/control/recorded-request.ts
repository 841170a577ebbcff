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
import { DEFAULT_API_KEY } from "../subjects/auth.ts";
import { CONTROL_PREFIX } from "../subjects/control-prefix.ts";
import type { HttpReply, HttpRequest } from "../subjects/message.ts";
import type { RecordedRequest } from "../subjects/recording.ts";

const MAX_STRING_CHARACTERS = 1024;
const RECORDED_HEADERS = ["content-type", "x-api-key", "x-tenant-id", "x-user-id", "langsmith-project"];

/** Values published with the emulator; not masked, since a replay needs them. */
const PUBLISHED_SECRETS = new Set(["emulator-secret", "emulator-key"]);
const LEFT_OUT = "left-out";
const NO_BODY = new Uint8Array(0);

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** A request as received; it is formatted only when the recording is read. */
export interface StoredRequest extends Pick<HttpRequest, "region" | "method" | "path" | "query"> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** Set later: replies come in a different order from requests. */
  readonly arrival: number;
  readonly at: Instant;
  /** The turn of the world when the request was received. */
  readonly turn: number;
  readonly status: number;
  /** Long bodies are kept as bytes, which the garbage collector does not move. */
  readonly reply: string | Uint8Array | null;
  /** What it counts towards the limit. */
  readonly bytes: number;
}

/** Shares the headers of the previous request if they are equal: most clients send the same with each request. */
export function recordedHeaders(
  { headers }: HttpRequest,
  latest: StoredRequest["headers"],
): StoredRequest["headers"] {
  if (RECORDED_HEADERS.every((name) => headers[name] === latest[name])) return latest;
  const copiedHeaders: Record<string, string> = {};
  for (const name of RECORDED_HEADERS) if (headers[name] !== undefined) copiedHeaders[name] = headers[name];
  return copiedHeaders;
}

export function storedRequest(
  { arrival, at, turn, headers }: Pick<StoredRequest, "arrival" | "at" | "turn" | "headers">,
  { region, method, path, query, body: requestBody }: HttpRequest,
  { status, headers: { "content-type": type }, body: replied }: HttpReply,
  maxBytes: number,
): StoredRequest {
  // A copy: the original may be a small part of the large buffer that it was received in.
  const body =
    requestBody.length > maxBytes ? null : requestBody.length === 0 ? NO_BODY : new Uint8Array(requestBody);
  const reply = storedReply(replied, type, maxBytes);
  // Listed one by one: on Node 20 each member after a spread takes more than a microsecond.
  return {
    arrival,
    at,
    turn,
    headers,
    region,
    method,
    path,
    query,
    body,
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

/** Labels for API keys, and for secrets: equal ones have the same label, so that a replay compares them as the original did. */
interface Substitutes {
  readonly keys: Map<string, string>;
  readonly secrets: Map<unknown, string>;
}

export function newSubstitutes(): Substitutes {
  return { keys: new Map([[DEFAULT_API_KEY, DEFAULT_API_KEY]]), secrets: new Map() };
}

export function recordOf(
  { at, body, reply, ...rest }: StoredRequest,
  substitutes: Substitutes,
): RecordedRequest {
  const { region, method, path, query, headers, status } = rest;
  return {
    at: formatInstant(at),
    region,
    method,
    path,
    query: withoutUrlSecrets(`?${query}`, LEFT_OUT).slice(1),
    headers: withoutKey(headers, substitutes.keys),
    body: body && withoutSecrets(path, decodeText(body), substitutes),
    status,
    reply: reply && withoutSecrets(path, typeof reply === "string" ? reply : decodeText(reply), substitutes),
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

function withoutSecrets(path: string, text: string | null, { secrets }: Substitutes): string | null {
  if (text === null) return text;
  const isControl = path.startsWith(CONTROL_PREFIX);
  const maskedText = withoutUrlSecrets(text, LEFT_OUT);
  if (!isControl && !text.includes(`"${WEBHOOK_MEMBER}"`) && !isSecretName(text)) return maskedText;
  const hideUnknown: Hide = (at, value) => {
    if (PUBLISHED_SECRETS.has(String(value))) return value;
    const safeValue = (isControl ? hideOfControl : hide)(at, value);
    return safeValue === LEFT_OUT && value !== LEFT_OUT ? labelOf(value, secrets) : safeValue;
  };
  try {
    return hideInJson(maskedText, hideUnknown);
  } catch {
    return isControl && !isSecretName(text) ? maskedText : null;
  }
}

/** The first secret is `left-out`, the second one `left-out-2`. */
function labelOf(secret: unknown, labels: Map<unknown, string>): string {
  const label = labels.get(secret) ?? (labels.size === 0 ? LEFT_OUT : `${LEFT_OUT}-${labels.size + 1}`);
  labels.set(secret, label);
  return label;
}
