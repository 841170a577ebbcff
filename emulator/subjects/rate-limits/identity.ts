import { hash } from "node:crypto";
import type { RateIdentity } from "../../../contracts/spec/rate-limits/rows.ts";

/** The parts of a request from which rate limits derive the caller's identity (§5, §8.5). */
export interface Identified {
  readonly apiKey?: string | undefined;
  readonly userId?: string | undefined;
  readonly address: string;
}

/** Longer identities are stored as a digest, to bound memory. */
const MAX_LENGTH = 120;
/** Cannot occur in a header value. */
const SEPARATOR = "\n";

/** The value that a row counts a request by; undefined when the request does not carry it. */
export function identityOf(kind: RateIdentity, { apiKey, userId, address }: Identified): string | undefined {
  switch (kind) {
    case "x-api-key":
      return apiKey === undefined ? undefined : bounded(apiKey);
    case "x-user-id + IP":
      return userId === undefined ? undefined : bounded(userId) + SEPARATOR + address;
    case "IP":
      return address;
  }
}

/** Display form of an identity: distinguishes API keys without revealing them. */
export function shownIdentity(kind: RateIdentity, identity: string): string {
  if (kind === "x-api-key") return `${identity.slice(0, 2)}… (${digest(identity).slice(0, 6)})`;
  return identity.replace(SEPARATOR, " at ");
}

function bounded(value: string): string {
  return value.length <= MAX_LENGTH ? value : digest(value);
}

function digest(value: string): string {
  return hash("sha256", value, "hex");
}
