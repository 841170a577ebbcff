/** What names of secrets have in them, whatever comes before or after (§2.4, §5-4). */
const SECRET_WORD = "secret|passw(?:or)?d|session_token|api[-_]?key|authorization";
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
const USER_OF_URL = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>\\]*@/gi;

/** Whether a member or header of this name holds a secret; an id of one is none. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !name.endsWith("_id");
}

/** A text that may be JSON, with the values of secret members hidden, and the ids of keys as well. */
export function withoutSecretMembers(text: string, hidden: string): string {
  return text.replace(SECRET_MEMBER, (member, name) =>
    name === "access_key_id" || isSecretName(name) ? `"${name}":"${hidden}"` : member,
  );
}

/** A text of any kind, with the users, passwords and secret parameters of the URLs in it hidden. */
export function withoutUrlSecrets(text: string, hidden: string): string {
  return text.replace(USER_OF_URL, `$1${hidden}@`).replace(SECRET_OF_QUERY, `$1${hidden}`);
}
