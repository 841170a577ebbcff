import { jsonOf } from "../engine/json.ts";
import {
  rewriteReply,
  rewriteReplyBody,
  rewriteStatus,
  type SendWrapper,
  setReplyMembers,
} from "../engine/mutant.ts";
import { type Variant, variantsOf } from "../engine/variant.ts";
import { CREATE, DESTINATION, EXPORTS, LIST, READ, RUNS, STOP } from "../mutants/routes.ts";
import { renameKeys } from "../mutants/storage.ts";
import {
  combine,
  lowerCaseIds,
  lowerCaseTimes,
  onlyMembers,
  renameMembers,
  renumber,
  reword,
} from "./changes.ts";

const DESTINATIONS = ["GET", /\/destinations(\?|$)/] as const;
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

const enveloped = (route: typeof LIST, name: string): SendWrapper =>
  rewriteReply(route, (reply) => {
    const body = jsonOf(reply.text);
    return Array.isArray(body)
      ? { ...reply, text: JSON.stringify({ [name]: body, total: body.length }) }
      : reply;
  });

const withoutNulls = rewriteReplyBody(EXPORTS, (body) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
);

/** Other ids of exports and destinations; `plain` is the inverse, for the texts of requests. */
function respelled(
  spell: (id: string) => string,
  plain: (text: string) => string,
): Pick<Variant, "send" | "objects"> {
  const ids = new RegExp(`"((?:source_)?(?:bulk_export_(?:destination_)?)?id)":"(${UUID})"`, "g");
  const folder = (text: string) =>
    text.replace(new RegExp(`export_id=(${UUID})`, "g"), (_, id: string) => `export_id=${spell(id)}`);
  const send: SendWrapper = (next) => async (request) => {
    const { body } = request;
    const plainRequest = {
      ...request,
      path: plain(request.path),
      ...(body !== undefined && { body: plain(body) }),
    };
    const reply = await next(plainRequest);
    if (!EXPORTS[1].test(request.path) || reply.status >= 300) return reply;
    const text = folder(reply.text).replace(ids, (_, name: string, id: string) => `"${name}":"${spell(id)}"`);
    return { ...reply, text };
  };
  return { send, objects: renameKeys(folder) };
}

/** Windows, as texts, wherever they are in a reply. */
const withoutZone = (route: typeof EXPORTS): SendWrapper =>
  rewriteReply(route, (reply) => {
    const text = reply.text.replace(/("(?:start|end)_time":"[^"]*)Z"/g, '$1"');
    return { ...reply, text };
  });

const MASKED = { access_key_id: "AKIA************", secret_access_key: "********" };

/** §4 to §7: statuses, headers and bodies that are not shown. */
export const REPLY_VARIANTS: readonly Variant[] = [
  ...variantsOf("7-1", {
    "extra-members": {
      differs: "replies of the platform have an additional member",
      send: setReplyMembers(EXPORTS, { revision: 7 }),
    },
    "nulls-left-out": { differs: "members without a value are omitted", send: withoutNulls },
    "destination-id-only": {
      differs: "a destination is returned with only its id",
      send: onlyMembers(DESTINATION, "id"),
    },
    "export-shown-only": {
      differs: "exports are returned with only id, status, created_at and source_bulk_export_id",
      send: combine(
        ...[CREATE, READ, LIST].map((route) =>
          onlyMembers(route, "id", "status", "created_at", "source_bulk_export_id"),
        ),
      ),
    },
    "list-in-envelope": {
      differs: "the list of exports is {bulk_exports, total}",
      send: enveloped(LIST, "bulk_exports"),
    },
    "runs-in-envelope": {
      differs: "the list of export runs is {runs, total}",
      send: enveloped(RUNS, "runs"),
    },
    "creation-time-renamed": {
      differs: "the creation time is named creation_time",
      send: renameMembers(EXPORTS, { created_at: "creation_time" }),
    },
    "window-renamed": {
      differs: "the window of an export is named window_start and window_end",
      send: combine(
        ...[CREATE, READ, LIST, RUNS].map((route) =>
          renameMembers(route, { start_time: "window_start", end_time: "window_end" }),
        ),
      ),
    },
    "ids-not-uuids": {
      differs: "ids of exports and destinations are not UUIDs",
      ...respelled(
        (id) => `x-${id}`,
        (text) => text.replace(new RegExp(`\\bx-(${UUID})`, "g"), "$1"),
      ),
    },
    "upper-case-ids": {
      differs: "ids of exports and destinations are in capitals",
      ...respelled((id) => id.toUpperCase(), lowerCaseIds),
    },
    "lower-case-times": { differs: "times have a small t and z", send: lowerCaseTimes(EXPORTS) },
    "creation-without-zone": {
      differs: "the creation times of exports and their runs have no zone",
      send: rewriteReplyBody(EXPORTS, (body) =>
        typeof body.created_at === "string"
          ? { ...body, created_at: body.created_at.replace("Z", "") }
          : body,
      ),
    },
    "window-without-zone": {
      differs: "the windows of exports and their runs have no zone",
      send: withoutZone(EXPORTS),
    },
    "export-id-only": {
      differs: "a created export is returned with only its id",
      send: onlyMembers(CREATE, "id"),
    },
    "export-status-only": {
      differs: "a created export is returned with only its id and status",
      send: onlyMembers(CREATE, "id", "status"),
    },
    "credentials-masked": {
      differs: "a destination is returned with masked credentials",
      send: setReplyMembers(DESTINATION, { credentials: MASKED }),
    },
    "created-202": { differs: "creating an export returns 202", send: rewriteStatus(CREATE, [200], 202) },
    "stopped-empty": { differs: "PATCH returns {}", send: rewriteStatus(STOP, [200], 200, {}) },
    "stopped-204": {
      differs: "PATCH returns 204 without a body",
      send: rewriteReply(STOP, (reply) =>
        reply.status === 200 ? { status: 204, headers: {}, text: "" } : reply,
      ),
    },
    "all-400": {
      differs: "every refusal of the platform has status 400",
      send: renumber(EXPORTS, { 401: 400, 404: 400, 405: 400, 409: 400, 413: 400, 415: 400, 422: 400 }),
    },
    "not-found-403": {
      differs: "an unknown resource is answered with 403",
      send: renumber(EXPORTS, { 404: 403 }),
    },
    "errors-as-text": {
      differs: "errors are plain text",
      send: reword(EXPORTS, (message) => message, "text/plain"),
    },
    "errors-as-problem": {
      differs: "errors are {type, title, detail: [{msg}]}",
      send: reword(EXPORTS, (msg) => ({ type: "about:blank", title: "no", detail: [{ msg }] })),
    },
    "destinations-not-listed": {
      differs: "destinations cannot be listed",
      send: rewriteStatus(DESTINATIONS, [200], 405, { detail: "Method Not Allowed" }),
    },
    "runs-not-read": {
      differs: "trace rows cannot be read",
      send: rewriteStatus(["GET", /^\/(api\/v1\/)?runs\//], [200], 404, { detail: "Not Found" }),
    },
  }),
];
