import { REQUIREMENT_HEADER } from "../subjects/control-prefix.ts";
import { type HttpReply, type HttpRequest, NO_HEADERS, type ReplyHeaders } from "../subjects/message.ts";
import { AS_OF_HEADER } from "./as-of-choice.ts";
import { WORLD_HEADER } from "./world-choice.ts";

/** Headers that a page of another origin may read, in addition to those always exposed. */
const EXPOSED = [
  "content-location",
  "location",
  "x-pagination-total",
  "x-pagination-next",
  "retry-after",
  "deprecation",
  "sunset",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "x-emulator-warning",
  REQUIREMENT_HEADER,
].join(", ");

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const USUAL_HEADERS = `content-type, x-api-key, x-tenant-id, x-user-id, ${WORLD_HEADER}, ${AS_OF_HEADER}`;
/** A list of header names; anything else is not echoed. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;
const MAX_AGE_SECONDS = "600";

/** CORS headers of a reply; none for a request without an origin. The servers refuse origins that are not allowed. */
export function corsHeaders({ headers }: HttpRequest): ReplyHeaders {
  if (headers.origin === undefined) return NO_HEADERS;
  return {
    "access-control-allow-origin": headers.origin,
    "access-control-expose-headers": EXPOSED,
    vary: "origin, access-control-request-headers",
  };
}

/** Answers OPTIONS on any path; an unknown path or method is refused by the request itself. */
export function preflightReply({ headers }: HttpRequest, methods: readonly string[] = METHODS): HttpReply {
  const requestedHeaders = headers["access-control-request-headers"] ?? "";
  return {
    status: 204,
    headers: {
      allow: [...methods, "OPTIONS"].join(", "),
      "access-control-allow-methods": METHODS.join(", "),
      "access-control-allow-headers": HEADER_NAMES.test(requestedHeaders) ? requestedHeaders : USUAL_HEADERS,
      "access-control-max-age": MAX_AGE_SECONDS,
    },
    body: "",
  };
}
