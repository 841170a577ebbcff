/** Replacement for secrets. */
export const MASK = "…";

/** Masks the parts of a URL that may be secret: user, password and query values (§5-4). */
export function maskedUrl(url: string, mask = MASK): string {
  const [address = "", query] = url.replace(/#.*$/s, "").split(/\?(.*)/s);
  const shown = address.replace(USER, `$1${mask}@`);
  if (query === undefined) return shown;
  return `${shown}?${query
    .split("&")
    .map((pair) => maskedPair(pair, mask))
    .join("&")}`;
}

const USER = /^([a-z][a-z0-9+.-]*:\/\/)([^/]*)@/i;

function maskedPair(pair: string, mask: string): string {
  const at = pair.indexOf("=");
  return at === -1 ? mask : `${pair.slice(0, at)}=${mask}`;
}

/** Secret values of a URL and of headers, longest first; values under 4 characters would mask ordinary text. */
export function secretsIn(url: string, headers: Readonly<Record<string, string>>): readonly string[] {
  const [address = "", query = ""] = url.split(/\?(.*)/s);
  const user = USER.exec(address)?.[2] ?? "";
  const pairs = query.split("&").map((pair) => pair.slice(pair.indexOf("=") + 1));
  const values = [...pairs, user, user.slice(user.indexOf(":") + 1)];
  const words = [...values, ...values.map(decoded), ...Object.values(headers)];
  return [...new Set(words)].filter((word) => word.length >= 4).sort((a, b) => b.length - a.length);
}

/** Masks these secrets in a text; they must be sorted longest first, as `secretsIn` returns them. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, MASK), text);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
