import { CREATE, DESTINATION, EXPORTS, MADE_UP_EXPORT } from "../routes.ts";
import { conforming, type Row } from "../row.ts";
import {
  accept,
  answerInstead,
  renumber,
  reword,
  rewritePath,
  rewriteRequest,
  rewriteRequestBody,
  rewriteStatus,
  rewriteText,
  setRequestHeaders,
} from "../wire.ts";

const NOT_FOUND = { detail: "Not Found" };
const EXPORT = ["*", /^\/api\/v1\/bulk-exports\/[0-9a-f-]{36}/] as const;
const UNLISTED = ["*", /nonsense|^\/(store|metrics|mcp)/] as const;
const ERROR_NAMES = /Access denied|Bucket is not valid|Key ID you provided does not exist|Invalid endpoint/;

/** Headers of requests that lack them. */
const withDefaults = (defaults: Readonly<Record<string, string>>) =>
  rewriteRequest(EXPORTS, ({ headers, ...request }) => {
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    const missing = Object.entries(defaults).filter(([name]) => !names.includes(name));
    return { ...request, headers: { ...headers, ...Object.fromEntries(missing) } };
  });

/** §1, §2.5, §4, §5 and §7.2: what is accepted from whom, and what refusals are named. */
export const REQUEST_SERVERS: readonly Row[] = conforming({
  "2.7-1: JSON columns are parsed and printed again": rewriteRequestBody(
    ["POST", /^\/runs\/batch$/],
    (body) => body,
  ),
  "4-1: a JSON body of another content type is accepted": setRequestHeaders(EXPORTS, {
    "content-type": "application/json",
  }),
  "5-7: a call without a key is accepted": withDefaults({ "x-api-key": "anonymous" }),
  "5-7: a call without X-Tenant-Id uses the workspace of the key": withDefaults({
    "x-tenant-id": "00000000-0000-4000-8000-000000000001",
  }),
  "5-3: resources of another workspace are answered with 403": renumber(EXPORT, { 404: 403 }),
  "5-6: ingest without X-Tenant-Id is refused": answerInstead(
    ({ method, path, headers }) =>
      method === "POST" && /^\/(runs\/batch|api\/v1\/sessions)$/.test(path) && !headers["x-tenant-id"],
    422,
    { detail: "X-Tenant-Id" },
  ),
  "1-3: the key-value store and the metrics exist": answerInstead(
    ["*", /^\/(store\/items|metrics|mcp)$/],
    200,
  ),
  "1-3: health and server information do not exist": rewriteStatus(
    ["GET", /^\/(ok|info)$/],
    [200],
    404,
    NOT_FOUND,
  ),
  "1-3: an unknown path is answered with 400": renumber(UNLISTED, { 404: 400, 405: 400, 501: 400 }),
  "9-1: bulk exports also exist without /api/v1": rewritePath(
    ["*", /^\/bulk-exports/],
    (path) => `/api/v1${path}`,
  ),
  "9-1: the OpenAPI document is at another path": answerInstead(["*", /^\/openapi\.json$/], 404, "Not Found"),
  "7.2-2: a denied put is reported as Bucket is not valid": rewriteText(DESTINATION, (text) =>
    text.replace("Access denied", "Bucket is not valid"),
  ),
  "7.2-2: the error of a destination is only its name": reword(DESTINATION, (message) => ({
    detail: ERROR_NAMES.exec(message)?.[0] ?? message,
  })),
  "2.5-10: a malformed filter is accepted": accept(
    CREATE,
    ({ filter }) => typeof filter === "string",
    MADE_UP_EXPORT,
  ),
  "2.5-9: format_version v9 is also accepted": accept(
    CREATE,
    ({ format_version }) => format_version === "v9",
    MADE_UP_EXPORT,
  ),
});
