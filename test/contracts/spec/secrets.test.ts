import { expect, it } from "vitest";
import {
  hideIn,
  hideWith,
  isSecretHeader,
  isSecretName,
  maskedUrl,
  type Path,
  withoutUrlSecrets,
} from "../../../contracts/spec/secrets.ts";

const HIDE = hideWith("left-out");

it("a value without secrets is the same one; of another a copy says where they were", () => {
  const plain = { id: "a", list: [1, { text: "b = c@d" }], none: null };
  expect(hideIn(plain, HIDE)).toBe(plain);
  const secret = { id: "a", password: "p", list: [{ url: "http://u:p@h/?token=t" }, 1] };
  const results: Path[] = [];
  expect(hideIn(secret, HIDE, (at) => results.push(at))).toEqual({
    id: "a",
    password: "left-out",
    list: [{ url: "http://left-out@h/?token=left-out" }, 1],
  });
  expect(results).toEqual([["password"], ["list", 0, "url"]]);
  expect(secret.password).toBe("p");
});

it("members keep their order and their names, whatever these are", () => {
  const value = JSON.parse('{"b":1,"__proto__":{"secret":"s"},"a":2}');
  expect(JSON.stringify(hideIn(value, HIDE))).toBe('{"b":1,"__proto__":{"secret":"left-out"},"a":2}');
});

it("a text loses the users and the secret parameters of its addresses", () => {
  expect(withoutUrlSecrets("see http://u:p@h/ and x?a=1&api_key=k", "-")).toBe(
    "see http://-@h/ and x?a=1&api_key=-",
  );
  for (const [text, expected] of [
    ['"postgres://me:word@db/x?sig=12","z"', '"postgres://-@db/x?sig=-","z"'],
    ["/x?access_token=1&refresh-token=2#key=3", "/x?access_token=-&refresh-token=-#key=3"],
  ] as const)
    expect(withoutUrlSecrets(text, "-")).toBe(expected);
  for (const plain of [
    "someone@example.com",
    "?limit=1&total_tokens=5&max_tokens=6&monkey=7",
    "see http://a.example/@me/x?y=1",
    "mail a@b.example?token=",
  ])
    expect(withoutUrlSecrets(plain, "-")).toBe(plain);
});

it("a value under a secret name is hidden whatever its type, and however deep", () => {
  const secret = { api_key: 12, passwords: [{ of: { a: "b", n: 1 } }], secret_id: 3 };
  expect(hideIn<unknown>(secret, HIDE)).toEqual({
    api_key: "left-out",
    passwords: [{ of: { a: "left-out", n: "left-out" } }],
    secret_id: 3,
  });
});

it.each([
  ["https://h/p?token", "https://h/p?-"],
  ["https://h/p?a=1&token&b=", "https://h/p?a=-&-&b=-"],
  ["https://h/p?a=b=c#fragment", "https://h/p?a=-"],
  ["https://u:p@w@h/p?", "https://-@h/p?"],
])("of the address of a webhook %s remains %s", (url, output) => {
  expect(maskedUrl(url, "-")).toBe(output);
});

it("headers with keys and tokens are secret, whatever a gateway calls them", () => {
  const names = ["x-auth-token", "X-Vault-Token", "Ocp-Apim-Subscription-Key", "x-goog-iap-jwt-assertion"];
  for (const name of [...names, "Authorization", "set-cookie", "x-api-key"])
    expect([name, isSecretHeader(name)]).toEqual([name, true]);
  for (const name of ["x-tenant-id", "x-user-id", "content-type", "www-authenticate", "retry-after"])
    expect([name, isSecretHeader(name)]).toEqual([name, false]);
});

it("fields with keys, tokens and passwords are secret, identifiers and counts are not", () => {
  const secret = "secret_access_key X-Api-Key apiKey session_token Authorization password".split(" ");
  const plain = "access_key_id secret_id total_tokens name".split(" ");
  for (const name of [...secret, ...plain])
    expect([name, isSecretName(name)]).toEqual([name, secret.includes(name)]);
});
