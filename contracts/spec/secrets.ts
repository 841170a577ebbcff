import { parseExact, printExact } from "./exact-json.ts";

/** What names of secrets have in them, whatever comes before or after (§2.4, §5-4). */
const SECRET_WORD = "secret|passw(?:or)?d|session_token|api[-_]?key|authorization|cookie";
const SECRET_NAME = new RegExp(SECRET_WORD, "i");

/** Lengths are bounded so that a text costs no more than its length, whatever is in it. */
const ANY = "[\\w.-]{0,40}?";
const SECRET_MEMBER = new RegExp(
  `"(${ANY}(?:${SECRET_WORD})${ANY}|access_key_id)"\\s*:\\s*"(?:[^"\\\\]|\\\\.)*"`,
  "gi",
);
const SECRET_PARAMETER =
  `${ANY}(?:${SECRET_WORD}|access[-_]?key|signature|credential)${ANY}|` +
  `(?:${ANY}[-_])?(?:token|sig|auth|jwt|pwd)|key|code`;
const SECRET_OF_QUERY = new RegExp(`([?&](?:${SECRET_PARAMETER})=)[^&#\\s"'<>\\\\]+`, "gi");
const USER_OF_URL = /([a-z0-9+.-]:\/\/)[^\s/?#"'<>\\]*@/gi;
const USER_OF_WEBHOOK = /^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i;

/** The member whose value is the address of a webhook: all of its query is a token, whatever it is called (§5-4). */
export const WEBHOOK_MEMBER = "webhook";
/** The members of records and control operations with addresses of webhooks. */
export const ADDRESSES: readonly string[] = [WEBHOOK_MEMBER, "url"];

/** Where a value stands: names of members and places in lists, from the outside in. */
export type Path = readonly (string | number)[];

type Members = Readonly<Record<string, unknown>>;

/** A text or number without the secrets in it; the same one when there are none. */
export type Hide = (at: Path, value: string | number) => string | number;

/** Whether a member or header of this name holds a secret; an id of one is none. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !name.endsWith("_id");
}

const SECRET_HEADER = /token|jwt|(?:^|[-_])(?:auth|key|credentials?|sig|signature)$/i;

/** Whether a header of this name holds a secret: gateways have names of their own for keys and tokens. */
export function isSecretHeader(name: string): boolean {
  return isSecretName(name) || SECRET_HEADER.test(name);
}

/**
 * Hides all that is under a secret name, whatever its type, and the secrets of addresses, in JSON in a text too.
 * `webhooks` are the names of members with addresses of webhooks.
 */
export function hideWith(hidden: string, webhooks: readonly string[] = [WEBHOOK_MEMBER]): Hide {
  return function hide(at, value) {
    if (at.some((name) => typeof name === "string" && isSecretName(name))) return hidden;
    if (typeof value === "number") return value;
    const isWebhook = webhooks.includes(String(at.at(-1)));
    const safeText = isWebhook ? maskedUrl(value, hidden) : hiddenJson(value, hidden, hide);
    return withoutUrlSecrets(safeText, hidden);
  };
}

/**
 * A JSON value with its texts and numbers hidden, and itself where none had to be; `onSecret` is called with the place of
 * each that was. The place that `hide` gets is the same array each time.
 */
export function hideIn<T>(value: T, hide: Hide, onSecret?: (at: Path) => void): T {
  const at: (string | number)[] = [];

  function hiddenAt(name: string | number, inner: unknown): unknown {
    at.push(name);
    const safeValue = hidden(inner);
    at.pop();
    return safeValue;
  }

  function hidden(inner: unknown): unknown {
    if (typeof inner === "string" || typeof inner === "number") {
      const safeValue = hide(at, inner);
      if (safeValue !== inner) onSecret?.([...at]);
      return safeValue;
    }
    if (Array.isArray(inner)) return hiddenItems(inner);
    return typeof inner === "object" && inner !== null ? hiddenMembers(inner as Members) : inner;
  }

  function hiddenItems(list: readonly unknown[]): readonly unknown[] {
    const items = list.map((item, index) => hiddenAt(index, item));
    return items.some((item, index) => item !== list[index]) ? items : list;
  }

  /** Copied only for what is hidden in it: most objects hold no secret. */
  function hiddenMembers(object: Members): Members {
    let copy: Record<string, unknown> | undefined;
    for (const name in object) {
      const safeValue = hiddenAt(name, object[name]);
      if (safeValue === object[name]) continue;
      copy ??= { ...object };
      copy[name] = safeValue;
    }
    return copy ?? object;
  }

  return hidden(value) as T;
}

/** The same for JSON in a text, which stays as it is when nothing in it is secret. Throws a `SyntaxError`. */
export function hideInJson(text: string, hide: Hide): string {
  let isFound = false;
  const safeValue = hideIn<unknown>(parseExact(text), hide, () => {
    isFound = true;
  });
  return isFound ? printExact(safeValue) : text;
}

function hiddenJson(text: string, hidden: string, hide: Hide): string {
  if (!/^\s*[[{]/.test(text) || !(text.includes(`"${WEBHOOK_MEMBER}"`) || SECRET_NAME.test(text)))
    return text;
  try {
    return hideInJson(text, hide);
  } catch {
    return withoutSecretMembers(text, hidden);
  }
}

/** The address of a webhook without what may be a secret in it: user, password, query values, fragment (§5-4). */
export function maskedUrl(url: string, hidden: string): string {
  const [address = "", query] = url.replace(/#.*$/s, "").split(/\?(.*)/s);
  const safeText = address.replace(USER_OF_WEBHOOK, `$1${hidden}@`);
  return query === undefined ? safeText : `${safeText}?${maskedQuery(query, hidden)}`;
}

/** The query of a webhook's address with its values hidden. */
export function maskedQuery(query: string, hidden: string): string {
  const maskedPair = (pair: string): string =>
    pair.includes("=") ? `${pair.slice(0, pair.indexOf("="))}=${hidden}` : hidden;
  return query === "" ? "" : query.split("&").map(maskedPair).join("&");
}

/** A text that may be JSON, with the values of secret members hidden, and the ids of keys as well. */
export function withoutSecretMembers(text: string, hidden: string): string {
  return text.replace(SECRET_MEMBER, (member, name) =>
    name === "access_key_id" || isSecretName(name) ? `"${name}":"${hidden}"` : member,
  );
}

/** A text of any kind, with the users, passwords and secret parameters of the URLs in it hidden. */
export function withoutUrlSecrets(text: string, hidden: string): string {
  const safeText = text.includes("@") ? text.replace(USER_OF_URL, `$1${hidden}@`) : text;
  return safeText.includes("=") ? safeText.replace(SECRET_OF_QUERY, `$1${hidden}`) : safeText;
}
