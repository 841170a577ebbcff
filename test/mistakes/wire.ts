import type { WireReply, WireRequest } from "../../contracts/engine/http-message.ts";
import { isMembers, jsonOf, type Members } from "../../contracts/engine/json.ts";
import type { SendWrapper } from "./row.ts";

/** Which requests a change concerns; `*` is every method. */
export type Route = readonly [method: string, path: RegExp];

const matchesRoute = ([method, path]: Route, request: WireRequest) =>
  (method === "*" || request.method === method) && path.test(request.path);

/** Rewrites matching requests. */
export function rewriteRequest(route: Route, change: (request: WireRequest) => WireRequest): SendWrapper {
  return (next) => (request) => next(matchesRoute(route, request) ? change(request) : request);
}

/** Rewrites the JSON object in the body of matching requests. */
export function rewriteRequestBody(route: Route, change: (body: Members) => unknown): SendWrapper {
  return rewriteRequest(route, (request) => {
    const body = jsonOf(request.body);
    return isMembers(body) ? { ...request, body: JSON.stringify(change(body)) } : request;
  });
}

/** Rewrites the replies to matching requests. */
export function rewriteReply(
  route: Route,
  change: (reply: WireReply, request: WireRequest) => WireReply,
): SendWrapper {
  return (next) => async (request) => {
    const reply = await next(request);
    return matchesRoute(route, request) ? change(reply, request) : reply;
  };
}

/** Rewrites the JSON body of a 2xx reply; each item of a list. */
export function rewriteReplyBody(
  route: Route,
  change: (body: Members, request: WireRequest) => unknown,
): SendWrapper {
  return rewriteReply(route, (reply, request) => {
    const body = jsonOf(reply.text);
    if (reply.status >= 300 || typeof body !== "object" || body === null) return reply;
    const rewritten = Array.isArray(body)
      ? body.map((item) => change(item, request))
      : change(body as Members, request);
    return { ...reply, text: JSON.stringify(rewritten) };
  });
}

/** Sets members of the JSON body of a 2xx reply; of each item of a list. */
export function setReplyMembers(route: Route, members: Members | ((body: Members) => Members)): SendWrapper {
  return rewriteReplyBody(route, (body) => ({
    ...body,
    ...(typeof members === "function" ? members(body) : members),
  }));
}

/** Removes members of the JSON body of a 2xx reply; of each item of a list. */
export function dropReplyMembers(route: Route, ...names: readonly string[]): SendWrapper {
  return rewriteReplyBody(route, (body) => without(body, ...names));
}

/** Sets members of the JSON body of a request. */
export function setRequestMembers(route: Route, members: Members): SendWrapper {
  return rewriteRequestBody(route, (body) => ({ ...body, ...members }));
}

/** Removes members of the JSON body of a request. */
export function dropRequestMembers(route: Route, ...names: readonly string[]): SendWrapper {
  return rewriteRequestBody(route, (body) => without(body, ...names));
}

/** Replies to the meant requests without passing them to the server. */
export function answerInstead(
  meant: Route | ((request: WireRequest) => boolean),
  status: number,
  body: unknown = {},
): SendWrapper {
  const reply = { status, headers: { "content-type": "application/json" }, text: JSON.stringify(body) };
  const applies =
    typeof meant === "function" ? meant : (request: WireRequest) => matchesRoute(meant, request);
  return (next) => async (request) => (applies(request) ? reply : next(request));
}

/** Sets headers of a request. */
export function setRequestHeaders(route: Route, headers: Readonly<Record<string, string>>): SendWrapper {
  return rewriteRequest(route, (request) => ({ ...request, headers: { ...request.headers, ...headers } }));
}

/** Rewrites the path of a request. */
export function rewritePath(route: Route, change: (path: string) => string): SendWrapper {
  return rewriteRequest(route, (request) => ({ ...request, path: change(request.path) }));
}

/** Rewrites the text of a reply. */
export function rewriteText(
  route: Route,
  change: (text: string, request: WireRequest) => string,
): SendWrapper {
  return rewriteReply(route, (reply, request) => ({ ...reply, text: change(reply.text, request) }));
}

/** Rewrites the list in the body of a reply. */
export function rewriteList(
  route: Route,
  change: (items: readonly Members[], request: WireRequest) => readonly unknown[],
): SendWrapper {
  return rewriteReply(route, (reply, request) => {
    const body = jsonOf(reply.text);
    return Array.isArray(body) ? { ...reply, text: JSON.stringify(change(body, request)) } : reply;
  });
}

/** Replaces a status, and the body where one is given. */
export function rewriteStatus(
  route: Route,
  from: readonly number[],
  to: number,
  body?: unknown,
): SendWrapper {
  return rewriteReply(route, (reply) =>
    from.includes(reply.status)
      ? { ...reply, status: to, ...(body !== undefined && { text: JSON.stringify(body) }) }
      : reply,
  );
}

export function without(body: Members, ...names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** Rewrites the query of a request. */
export function rewriteQuery(route: Route, change: (query: URLSearchParams) => void): SendWrapper {
  return rewriteRequest(route, (request) => {
    const [path = "", text = ""] = request.path.split("?");
    const parameters = new URLSearchParams(text);
    change(parameters);
    const rewritten = parameters.toString();
    return { ...request, path: rewritten === "" ? path : `${path}?${rewritten}` };
  });
}

/** Several changes at once. */
export function combine(...changes: readonly SendWrapper[]): SendWrapper {
  return (next) => changes.reduce((send, change) => change(send), next);
}

/** Gives members other names, at any depth in the body of a 2xx reply. */
export function renameMembers(route: Route, names: Readonly<Record<string, string>>): SendWrapper {
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed);
    if (!isMembers(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [names[name] ?? name, renamed(inner)]),
    );
  };
  return rewriteReplyBody(route, renamed);
}

/** Other statuses for refusals, by their usual ones. */
export function renumber(route: Route, statuses: Readonly<Record<number, number>>): SendWrapper {
  return rewriteReply(route, (reply) => ({ ...reply, status: statuses[reply.status] ?? reply.status }));
}

/** Another body for refusals, made of their message. */
export function reword(route: Route, bodyOf: (message: string) => unknown, type?: string): SendWrapper {
  return rewriteReply(route, (reply) => {
    if (reply.status < 400) return reply;
    const body = jsonOf(reply.text);
    const content = bodyOf(String(isMembers(body) ? body.detail : body));
    if (type === undefined) return { ...reply, text: JSON.stringify(content) };
    return { ...reply, headers: { ...reply.headers, "content-type": type }, text: String(content) };
  });
}

/** Accepts with a made-up body what is refused. */
export function accept(
  route: Route,
  applies: (body: Members, request: WireRequest) => boolean,
  answer: unknown = {},
): SendWrapper {
  return rewriteReply(route, (reply, request) => {
    const body = jsonOf(request.body);
    if (reply.status < 400 || !applies(isMembers(body) ? body : {}, request)) return reply;
    return { ...reply, status: 200, text: JSON.stringify(answer) };
  });
}
