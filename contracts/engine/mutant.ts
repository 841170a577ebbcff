import type { RequirementId } from "../spec/requirements.ts";
import type { Send, WireReply, WireRequest } from "./http-message.ts";
import type { Members } from "./json.ts";
import { isMembers, jsonOf } from "./json.ts";
import type { CaseSettings, Need } from "./needs.ts";
import type { Delivery, ObjectStore, ReadFile, Session, Target } from "./target.ts";

/** Rewrites what is sent and what is replied. */
export type SendWrapper = (next: Send) => Send;

/** How a server differs from the emulator as it is. */
export interface Change {
  /** Override the settings of every case. */
  readonly settings?: CaseSettings;
  /** Rewrites requests and replies; created for each case, so it may keep state. */
  readonly send?: SendWrapper;
  readonly objects?: (store: ObjectStore) => ObjectStore;
  readonly file?: (file: ReadFile) => ReadFile;
  /** Rewrites the deliveries that a receiver reports. */
  readonly deliveries?: (deliveries: readonly Delivery[]) => readonly Delivery[];
  /** The server starts without the settings that it should refuse. */
  readonly startsAnyway?: true;
  /** What it does not offer. */
  readonly lacks?: readonly Need[];
}

/** A deliberate violation of one requirement that the suites have to detect. */
export interface Mutant extends Change {
  readonly id: string;
  readonly requirement: RequirementId;
  /** What the mutant does wrong, as reports show it. */
  readonly wrongBehaviour: string;
  /** It violates an assumption that belongs to a shown requirement: any finding counts as detection. */
  readonly mild?: true;
}

/** The mutants of one requirement: `{ "limit-11": { wrongBehaviour, … } }`. */
export function mutantsOf(
  requirement: RequirementId,
  rows: Readonly<Record<string, Omit<Mutant, "id" | "requirement">>>,
): readonly Mutant[] {
  return Object.entries(rows).map(([slug, row]) => ({ id: `${requirement}/${slug}`, requirement, ...row }));
}

/** The target with the change applied, settings aside. */
export function changed(target: Target, change: Change): Target {
  const { send, objects, file, deliveries, startsAnyway, lacks = [] } = change;
  const changeSession = (session: Session): Session => ({
    ...session,
    ...(send && { send: send(session.send) }),
    ...(objects && session.objects && { objects: objects(session.objects) }),
    reach: {
      ...session.reach,
      ...(file && { parquet: async (bytes: Uint8Array) => file(await session.reach.parquet(bytes)) }),
      ...(deliveries && { receiver: () => session.reach.receiver().then(rewriteDeliveries(deliveries)) }),
    },
  });
  return {
    ...target,
    offers: new Set([...target.offers].filter((need) => !lacks.includes(need))),
    async open(settings) {
      if (!startsAnyway) return changeSession(await target.open(settings));
      return changeSession(await target.open(settings).catch(() => target.open()));
    },
  };
}

function rewriteDeliveries(deliveries: NonNullable<Mutant["deliveries"]>) {
  return (receiver: Awaited<ReturnType<Session["reach"]["receiver"]>>) => ({
    ...receiver,
    get deliveries() {
      return deliveries(receiver.deliveries);
    },
  });
}

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
export function setReplyMembers(route: Route, members: Members): SendWrapper {
  return rewriteReplyBody(route, (body) => ({ ...body, ...members }));
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
  applies: (request: WireRequest) => boolean,
  status: number,
  body: unknown,
): SendWrapper {
  const reply = { status, headers: { "content-type": "application/json" }, text: JSON.stringify(body) };
  return (next) => async (request) => (applies(request) ? reply : next(request));
}

/** Sets headers of a request. */
export function setRequestHeaders(route: Route, headers: Readonly<Record<string, string>>): SendWrapper {
  return rewriteRequest(route, (request) => ({ ...request, headers: { ...request.headers, ...headers } }));
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
