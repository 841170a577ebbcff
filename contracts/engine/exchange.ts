import { isSecretHeader, isSecretName, withoutSecretMembers, withoutUrlSecrets } from "../spec/secrets.ts";
import type { Region, WireReply, WireRequest } from "./http-message.ts";
import { isMembers } from "./json.ts";

/** A request and its reply as reports show them: without secrets, long bodies cut. */
export interface Exchange {
  readonly region: Region;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody?: string;
  readonly status: number;
  readonly replyHeaders: Readonly<Record<string, string>>;
  readonly replyBody: string;
  /** The request as a curl command; `$API_KEY` stands for the key. */
  readonly curl: string;
}

const MAX_CHARACTERS = 2000;
const REDACTED = "***";

/** Redacts these secrets in a text, and the values of members and parameters with secret names. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  let safeText = withoutSecretMembers(withoutUrlSecrets(text, REDACTED), REDACTED);
  for (const secret of secrets)
    if (secret.length >= 6)
      for (const form of encodingsOf(secret)) safeText = safeText.replaceAll(form, REDACTED);
  return safeText;
}

/** A secret as it is, escaped in JSON, and encoded in URLs and in Base64. */
function encodingsOf(secret: string): ReadonlySet<string> {
  return new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    ...inBase64(secret),
  ]);
}

/** The Base64 forms of a text within a longer one, one for each alignment, without the characters that also encode its neighbours. */
export function inBase64(text: string): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.from("x".repeat(offset) + text);
    const [start, end] = [Math.ceil((offset * 4) / 3), Math.floor((bytes.length * 4) / 3)];
    return (["base64", "base64url"] as const).map((form) => bytes.toString(form).slice(start, end));
  });
}

/** Redacts secrets in every text of a value. */
export function withoutSecretsIn<T>(value: T, secrets: ReadonlySet<string>): T {
  const redacted = (inner: unknown, name = ""): unknown => {
    if (typeof inner === "string")
      return isSecretName(name) || name === "access_key_id" ? REDACTED : withoutSecrets(inner, secrets);
    if (Array.isArray(inner)) return inner.map((item) => redacted(item, name));
    if (!isMembers(inner) || inner instanceof Date) return inner;
    return Object.fromEntries(
      Object.entries(inner).map(([key, member]) => [withoutSecrets(key, secrets), redacted(member, key)]),
    );
  };
  return redacted(value) as T;
}

/** The redacted exchange of a request and its reply. */
export function exchangeOf(
  request: WireRequest,
  reply: WireReply,
  url: string,
  secrets: ReadonlySet<string>,
  publicKey?: string,
): Exchange {
  const show = (text: string) => cut(withoutSecrets(text, secrets));
  const shownUrl = withoutSecrets(url, secrets);
  const requestBody = request.body === undefined ? undefined : show(request.body);
  return {
    region: request.region,
    method: request.method,
    url: shownUrl,
    requestHeaders: redactHeaders(request.headers, show, publicKey),
    requestBody,
    status: reply.status,
    replyHeaders: redactHeaders(reply.headers, show),
    replyBody: show(reply.text),
    curl: curlOf(request, shownUrl, requestBody, show, publicKey),
  };
}

type Show = (text: string) => string;

function redactHeaders(headers: Readonly<Record<string, string>>, show: Show, publicKey?: string) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      isHidden(name, value, publicKey) ? REDACTED : show(value),
    ]),
  );
}

function isHidden(name: string, value: string, publicKey: string | undefined): boolean {
  return isSecretHeader(name) && value !== publicKey;
}

function curlOf(
  request: WireRequest,
  url: string,
  body: string | undefined,
  show: Show,
  publicKey: string | undefined,
) {
  const headers = Object.entries(request.headers).map(([name, value]) =>
    isHidden(name, value, publicKey)
      ? `-H "${name}: $${variableOf(name)}"`
      : `-H ${quoted(`${name}: ${show(value)}`)}`,
  );
  const data = body === undefined ? [] : [`--data ${quoted(body)}`];
  // A recorded path names no host: the shell is to have it.
  const address = url.startsWith("/") ? `"$EMULATOR_URL"${quoted(url)}` : quoted(url);
  return ["curl -sS", `-X ${request.method}`, address, ...headers, ...data].join(" ");
}

/** The shell variable that stands for a secret header: `API_KEY`, `AUTHORIZATION`. */
export function variableOf(name: string): string {
  return name
    .replace(/^x-/i, "")
    .replaceAll(/[^a-z0-9]/gi, "_")
    .toUpperCase();
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function cut(text: string): string {
  return text.length <= MAX_CHARACTERS
    ? text
    : `${text.slice(0, MAX_CHARACTERS)}… (${text.length} characters)`;
}
