import * as spec from "../../../contracts/spec/secrets.ts";

/** Replacement for secrets. */
export const MASK = "…";

/** The address of a webhook as views show it (§5-4). */
export function maskedUrl(url: string): string {
  return spec.maskedUrl(url, MASK);
}

const USER = /^[a-z][a-z0-9+.-]*:\/\/([^/]*)@/i;

/** Secret values of URLs and of headers, longest first; values under 4 characters would mask ordinary text. */
export function secretsIn(
  urls: readonly string[],
  headers: Readonly<Record<string, string>>,
): readonly string[] {
  const values = urls.flatMap(secretParts);
  const words = [...values, ...values.map(decoded), ...Object.values(headers)];
  return [...new Set(words)].filter((word) => word.length >= 4).sort((a, b) => b.length - a.length);
}

function secretParts(url: string): readonly string[] {
  const [whole = "", fragment = ""] = url.split(/#(.*)/s);
  const [address = "", query = ""] = whole.split(/\?(.*)/s);
  const user = USER.exec(address)?.[1] ?? "";
  const pairs = query.split("&").map((pair) => pair.slice(pair.indexOf("=") + 1));
  return [...pairs, fragment, user, user.slice(user.indexOf(":") + 1), user.replace(/:.*$/s, "")];
}

/** Masks these secrets in a text; they must be sorted longest first, as `secretsIn` returns them. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
