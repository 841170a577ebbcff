import type { RequirementId } from "../spec/requirements.ts";
import type { Send, WireReply, WireRequest } from "./http-message.ts";
import type { Members } from "./json.ts";
import { isMembers, jsonOf } from "./json.ts";
import type { CaseSettings } from "./needs.ts";
import type { Delivery, ObjectStore, ReadFile, Session, Target } from "./target.ts";

/** A lie about one row of the ledger: the suites have to notice it. */
export interface Mutant {
  readonly id: string;
  readonly requirement: RequirementId;
  readonly lie: string;
  /** It breaks a choice of ours that belongs to a shown row: any finding kills it. */
  readonly mild?: true;
  /** Laid over the settings of every case. */
  readonly settings?: CaseSettings;
  /** Tells the lie on the wire; made anew for each case, so that it may remember what it saw. */
  readonly send?: (next: Send) => Send;
  readonly objects?: (store: ObjectStore) => ObjectStore;
  readonly file?: (file: ReadFile) => ReadFile;
  /** What a receiver is made to believe has arrived. */
  readonly deliveries?: (deliveries: readonly Delivery[]) => readonly Delivery[];
  /** Settings that do not work are passed over instead of keeping the server from starting. */
  readonly startsAnyway?: true;
}

/** Lies about a row: `{ "limit-11": { lie, … } }`, each under the row that it breaks. */
export function mutantsOf(
  requirement: RequirementId,
  rows: Readonly<Record<string, Omit<Mutant, "id" | "requirement">>>,
): readonly Mutant[] {
  return Object.entries(rows).map(([slug, row]) => ({ id: `${requirement}/${slug}`, requirement, ...row }));
}

/** The honest target as the mutant shows it. */
export function mutated(target: Target, { send, objects, file, deliveries, startsAnyway }: Mutant): Target {
  const mutateSession = (session: Session): Session => ({
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
    async open(settings) {
      if (!startsAnyway) return mutateSession(await target.open(settings));
      return mutateSession(await target.open(settings).catch(() => target.open()));
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

type Route = readonly [method: string, path: RegExp];

const matchesRoute = ([method, path]: Route, request: WireRequest) =>
  (method === "*" || request.method === method) && path.test(request.path);

/** Rewrites what a caller sends. */
export function rewriteRequest(
  route: Route,
  change: (request: WireRequest) => WireRequest,
): (next: Send) => Send {
  return (next) => (request) => next(matchesRoute(route, request) ? change(request) : request);
}

/** Rewrites the members of what a caller sends as JSON. */
export function rewriteRequestBody(route: Route, change: (body: Members) => unknown): (next: Send) => Send {
  return rewriteRequest(route, (request) => {
    const body = jsonOf(request.body);
    return isMembers(body) ? { ...request, body: JSON.stringify(change(body)) } : request;
  });
}

/** Rewrites what is answered. */
export function rewriteReply(
  route: Route,
  change: (reply: WireReply, request: WireRequest) => WireReply,
): (next: Send) => Send {
  return (next) => async (request) => {
    const reply = await next(request);
    return matchesRoute(route, request) ? change(reply, request) : reply;
  };
}

/** Rewrites the body of a success; one item after the other where it is a list. */
export function rewriteReplyBody(
  route: Route,
  change: (body: Members, request: WireRequest) => unknown,
): (next: Send) => Send {
  return rewriteReply(route, (reply, request) => {
    const body = jsonOf(reply.text);
    if (reply.status >= 300 || typeof body !== "object" || body === null) return reply;
    const rewritten = Array.isArray(body)
      ? body.map((item) => change(item, request))
      : change(body as Members, request);
    return { ...reply, text: JSON.stringify(rewritten) };
  });
}

/** Answers with these members in place of the true ones; in each item where it is a list. */
export function setReplyMembers(route: Route, members: Members): (next: Send) => Send {
  return rewriteReplyBody(route, (body) => ({ ...body, ...members }));
}

/** Leaves members out of what is answered. */
export function dropReplyMembers(route: Route, ...names: readonly string[]): (next: Send) => Send {
  return rewriteReplyBody(route, (body) => without(body, ...names));
}

/** Sends these members in place of the caller's. */
export function setRequestMembers(route: Route, members: Members): (next: Send) => Send {
  return rewriteRequestBody(route, (body) => ({ ...body, ...members }));
}

/** Leaves members out of what a caller sends. */
export function dropRequestMembers(route: Route, ...names: readonly string[]): (next: Send) => Send {
  return rewriteRequestBody(route, (body) => without(body, ...names));
}

/** Answers some requests itself; they never reach the server. */
export function answerInstead(
  isMeant: (request: WireRequest) => boolean,
  status: number,
  body: unknown,
): (next: Send) => Send {
  const reply = { status, headers: { "content-type": "application/json" }, text: JSON.stringify(body) };
  return (next) => async (request) => (isMeant(request) ? reply : next(request));
}

/** Sends these headers in place of the caller's. */
export function setRequestHeaders(
  route: Route,
  headers: Readonly<Record<string, string>>,
): (next: Send) => Send {
  return rewriteRequest(route, (request) => ({ ...request, headers: { ...request.headers, ...headers } }));
}

/** Rewrites a list as a whole. */
export function rewriteList(
  route: Route,
  change: (items: readonly Members[], request: WireRequest) => readonly unknown[],
): (next: Send) => Send {
  return rewriteReply(route, (reply, request) => {
    const body = jsonOf(reply.text);
    return Array.isArray(body) ? { ...reply, text: JSON.stringify(change(body, request)) } : reply;
  });
}

/** Answers with another status, and with the error that goes with it. */
export function rewriteStatus(
  route: Route,
  from: readonly number[],
  to: number,
  body?: unknown,
): (next: Send) => Send {
  return rewriteReply(route, (reply) =>
    from.includes(reply.status)
      ? { ...reply, status: to, ...(body !== undefined && { text: JSON.stringify(body) }) }
      : reply,
  );
}

export function without(body: Members, ...names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** Changes the query of a request. */
export function rewriteQuery(route: Route, change: (query: URLSearchParams) => void): (next: Send) => Send {
  return rewriteRequest(route, (request) => {
    const [path = "", text = ""] = request.path.split("?");
    const parameters = new URLSearchParams(text);
    change(parameters);
    const rewritten = parameters.toString();
    return { ...request, path: rewritten === "" ? path : `${path}?${rewritten}` };
  });
}
