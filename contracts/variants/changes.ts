import type { Send, WireReply } from "../engine/http-message.ts";
import { isMembers, jsonOf, type Members } from "../engine/json.ts";
import { type Route, rewriteReply, rewriteReplyBody, type SendWrapper } from "../engine/mutant.ts";
import { JSON_TYPE } from "../mutants/routes.ts";

/** Several changes at once. */
export const combine =
  (...changes: readonly SendWrapper[]): SendWrapper =>
  (next) =>
    changes.reduce((send, change) => change(send), next as Send);

/** Gives members other names, at any depth in the body of a 2xx reply. */
export const renameMembers = (route: Route, names: Readonly<Record<string, string>>): SendWrapper =>
  rewriteReplyBody(route, (body) => renamed(body, names));

function renamed(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (!isMembers(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [names[name] ?? name, renamed(inner, names)]),
  );
}

/** Keeps only these members of the body of a 2xx reply. */
export const onlyMembers = (route: Route, ...names: readonly string[]): SendWrapper =>
  rewriteReplyBody(route, (body) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name))),
  );

/** The UUIDs of a text in small letters. */
export const lowerCaseIds = (text: string) => text.replace(ID, (id) => id.toLowerCase());

/** The UUIDs of a text in capitals. */
export const upperCaseIds = (text: string) => text.replace(ID, (id) => id.toUpperCase());

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Times with a small `t` and `z`, which RFC 3339 allows. */
export const lowerCaseTimes = (route: Route): SendWrapper =>
  rewriteReply(route, (reply) => ({
    ...reply,
    text: reply.text.replace(/"(\d{4}-\d\d-\d\d)T([\d:.]+)Z"/g, '"$1t$2z"'),
  }));

/** Other statuses for refusals, by their usual ones. */
export const renumber = (route: Route, statuses: Readonly<Record<number, number>>): SendWrapper =>
  rewriteReply(route, (reply) => ({ ...reply, status: statuses[reply.status] ?? reply.status }));

/** Another body for refusals, made of their text. */
export const reword = (
  route: Route,
  body: (message: string) => unknown,
  type = JSON_TYPE["content-type"],
): SendWrapper =>
  rewriteReply(route, (reply) => {
    if (reply.status < 400) return reply;
    const content = body(messageIn(reply));
    const text = type === JSON_TYPE["content-type"] ? JSON.stringify(content) : String(content);
    return { ...reply, headers: { ...reply.headers, "content-type": type }, text };
  });

function messageIn({ text }: WireReply): string {
  const body = jsonOf(text);
  if (typeof body === "string") return body;
  return isMembers(body) && typeof body.detail === "string" ? body.detail : text;
}

/** Accepts with a made-up body what is refused with one of these statuses, where the request is meant. */
export const accept = (
  route: Route,
  applies: (body: Members, path: string) => boolean,
  answer: unknown = {},
): SendWrapper =>
  rewriteReply(route, (reply, { body, path }) => {
    const sentBody = jsonOf(body);
    if (reply.status < 400 || !applies(isMembers(sentBody) ? sentBody : {}, path)) return reply;
    return { ...reply, status: 200, text: JSON.stringify(answer) };
  });

/** The reply to an order that a server takes without another look. */
export const MADE_UP_EXPORT = {
  id: "00000000-0000-4000-8000-0000000000aa",
  status: "CREATED",
  created_at: "2026-03-02T00:00:00Z",
};
