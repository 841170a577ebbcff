import { jsonOf } from "../../../contracts/engine/json.ts";
import { renameKeys } from "../files.ts";
import { CREATE, DESTINATION, EXPORTS, LIST, RUNS, STOP } from "../routes.ts";
import { conforming, type Row, type SendWrapper } from "../row.ts";
import {
  renumber,
  reword,
  rewriteReply,
  rewriteReplyBody,
  rewriteStatus,
  rewriteText,
  setReplyMembers,
} from "../wire.ts";
import { lowerCaseIds, lowerCaseTimes } from "./spelling.ts";

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
): Pick<Row, "send" | "objects"> {
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
  return { send, ...renameKeys(folder) };
}

/** Times, as texts, wherever they are in a reply. */
const withoutZone = (member: string): SendWrapper =>
  rewriteText(EXPORTS, (text) => text.replace(new RegExp(`("(?:${member})":"[^"]*)Z"`, "g"), '$1"'));

const NO = { detail: "Not Found" };
const MASKED = { access_key_id: "AKIA************", secret_access_key: "********" };

/** §4 to §7: statuses, headers and bodies that are not shown. */
export const REPLY_SERVERS: readonly Row[] = conforming({
  "7-1: members without a value are omitted": withoutNulls,
  "7-1: the list of exports is {bulk_exports, total}": enveloped(LIST, "bulk_exports"),
  "7-1: the list of export runs is {runs, total}": enveloped(RUNS, "runs"),
  "7-1: ids of exports and destinations are not UUIDs": respelled(
    (id) => `x-${id}`,
    (text) => text.replace(new RegExp(`\\bx-(${UUID})`, "g"), "$1"),
  ),
  "7-1: ids of exports and destinations are in capitals": respelled((id) => id.toUpperCase(), lowerCaseIds),
  "7-1: times have a small t and z": lowerCaseTimes(EXPORTS),
  "7-1: the creation times of exports and their runs have no zone": withoutZone("created_at"),
  "7-1: the windows of exports and their runs have no zone": withoutZone("start_time|end_time"),
  "7-1: a destination is returned with masked credentials": setReplyMembers(DESTINATION, {
    credentials: MASKED,
  }),
  "7-1: creating an export returns 202": rewriteStatus(CREATE, [200], 202),
  "7-1: PATCH returns {}": rewriteStatus(STOP, [200], 200, {}),
  "7-1: PATCH returns 204 without a body": rewriteReply(STOP, (reply) =>
    reply.status === 200 ? { status: 204, headers: {}, text: "" } : reply,
  ),
  "7-1: every refusal of the platform has status 400": rewriteStatus(
    EXPORTS,
    [401, 404, 405, 409, 413, 415, 422],
    400,
  ),
  "7-1: an unknown resource is answered with 403": renumber(EXPORTS, { 404: 403 }),
  "7-1: errors are plain text": reword(EXPORTS, (message) => message, "text/plain"),
  "7-1: errors are {type, title, detail: [{msg}]}": reword(EXPORTS, (msg) => ({
    type: "about:blank",
    title: "no",
    detail: [{ msg }],
  })),
  "7-1: destinations cannot be listed": rewriteStatus(DESTINATIONS, [200], 405, NO),
  "7-1: trace rows cannot be read": rewriteStatus(["GET", /^\/(api\/v1\/)?runs\//], [200], 404, NO),
});
