import { refuse } from "../refused.ts";

const TOKEN_MARK = "1.";

/** A continuation token: the name after which the next page starts. */
export function tokenOf(after: string): string {
  return `${TOKEN_MARK}${Buffer.from(after).toString("base64url")}`;
}

/** The name after which a page starts. Throws `S3Refused` (`InvalidArgument`). */
export function afterOf(token: string): string {
  if (/^1\.[A-Za-z0-9_-]+$/.test(token)) {
    return Buffer.from(token.slice(TOKEN_MARK.length), "base64url").toString();
  }
  throw refuse("InvalidArgument", "The continuation token provided is incorrect", {
    ArgumentName: "continuation-token",
  });
}
