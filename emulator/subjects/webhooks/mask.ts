/** Stands for what may not be shown. */
export const MASK = "…";

/** A URL without what may be a secret in it: user, password and the values of its query (§5-4). */
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

/** What of a URL and of header values may not be repeated; short values would blacken whole texts. */
export function secretsIn(url: string, headers: Readonly<Record<string, string>>): readonly string[] {
  const [address = "", query = ""] = url.split(/\?(.*)/s);
  const user = USER.exec(address)?.[2] ?? "";
  const pairs = query.split("&").map((pair) => pair.slice(pair.indexOf("=") + 1));
  const values = [...pairs, user, user.slice(user.indexOf(":") + 1)];
  const words = [...values, ...values.map(decoded), ...Object.values(headers)];
  return [...new Set(words)].filter((word) => word.length >= 4).sort((a, b) => b.length - a.length);
}

/** The text with every one of these masked; the longest have to come first, as `secretsIn` gives them. */
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
