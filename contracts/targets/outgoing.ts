import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";

/** One request over the network. Redirects are not followed, and bodies are not decompressed. */
export interface OutgoingCall {
  readonly url: URL;
  /** Sent unchanged in place of the path of the URL, which resolves dots and corrects deliberate mistakes. */
  readonly path?: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly lookup?: LookupFunction;
  readonly signal?: AbortSignal;
  /** Open connections that are used again; without them the call opens one of its own. */
  readonly connections?: Connections;
  readonly bounds: OutgoingBounds;
}

/** What a server can make its client wait for and read, in milliseconds of wall-clock time and bytes. */
export interface OutgoingBounds {
  /** For the connection; `replyMs` begins after it. Without it, `replyMs` includes the connection. */
  readonly connectMs?: number;
  /** For the whole reply. */
  readonly replyMs: number;
  /** Without a received byte. */
  readonly idleMs?: number;
  /** Of the body of a reply with this status. */
  readonly replyBytes: (status: number) => number;
}

export interface OutgoingReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The body was longer than its bound. The rest was not read. */
  readonly isCut: boolean;
}

/** Connections for `exchange`; the owner closes them. */
export type Connections = ReturnType<typeof createConnections>;

/** The reply was not complete in time. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
  readonly code = "ETIMEDOUT";
}

/** No server sends as many before a reply, and each costs time. */
const MAX_INTERIM_REPLIES = 100;
/** Some servers ignore `Expect: 100-continue`; the body is sent to them after this time. */
const CONTINUE_MS = 1_000;

/** Settles with the work, or rejects after `ms` or with the signal, whatever the work does. */
export function within<T>(ms: number, message: string, work: Promise<T>, signal?: AbortSignal): Promise<T> {
  const deadline = createDeadline(signal);
  deadline.start(ms, () => message);
  return deadline.race(work);
}

function createDeadline(signal: AbortSignal | undefined) {
  let timer: NodeJS.Timeout | undefined;
  let fail = (_: Error) => {};
  const missed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const abort = () => fail(new Error("the call was ended"));
  signal?.addEventListener("abort", abort);
  return {
    fail: (error: Error) => fail(error),
    /** Starts the time, in place of a time that has begun. */
    start(ms: number, message: () => string): void {
      clearTimeout(timer);
      timer = setTimeout(() => fail(new OutOfTime(message())), ms);
    },
    race<T>(work: Promise<T>): Promise<T> {
      if (signal?.aborted) abort();
      return Promise.race([work, missed]).finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      });
    },
  };
}

/** Keeps up to `maxSockets` connections to each origin. */
export function createConnections(maxSockets: number) {
  const agents = new Map<string, Agent>();
  return {
    agentFor(protocol: string, AgentClass: typeof Agent): Agent {
      const agent = agents.get(protocol) ?? new AgentClass({ keepAlive: true, maxSockets });
      agents.set(protocol, agent);
      return agent;
    },
    close(): void {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

export function replyTooLong(bytes: number): Error {
  return errorOf("ERR_REPLY_TOO_LONG", `the reply has more than ${bytes} bytes`);
}

/** As `exchange`, but throws instead of cutting the body. */
export async function wholeReply(call: OutgoingCall): Promise<OutgoingReply> {
  const reply = await exchange(call);
  if (reply.isCut) throw replyTooLong(call.bounds.replyBytes(reply.status));
  return reply;
}

/**
 * Sends a request and reads the reply within its bounds. It settles whatever the server does. Throws `OutOfTime`, or the error of
 * the connection.
 */
export async function exchange(call: OutgoingCall): Promise<OutgoingReply> {
  // TLS is loaded with the first server that needs it.
  const { protocol } = call.url;
  const module = protocol === "https:" ? await import("node:https") : await import("node:http");
  const agent = call.connections?.agentFor(protocol, module.Agent as typeof Agent);
  let request: ClientRequest | undefined;
  const open = (options: { readonly agent: Agent | false }) => {
    const { url, path, method, headers, body, lookup, bounds } = call;
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    request = module.request(url, {
      ...{ method, headers: { ...headers, ...length }, ...options },
      ...(path !== undefined && { path }),
      ...(lookup && { lookup }),
      ...(bounds.idleMs !== undefined && { timeout: bounds.idleMs }),
    });
    return request;
  };
  try {
    return await replyTo(call, () => open({ agent: agent ?? false }));
  } catch (error) {
    // The server may close an idle connection just as it is used again.
    if (!request?.reusedSocket || (error as NodeJS.ErrnoException).code !== "ECONNRESET") throw error;
    return replyTo(call, () => open({ agent: false }));
  }
}

/** The deadline is independent of the socket: Node reports neither an error nor a reply for `101`. */
async function replyTo(call: OutgoingCall, open: () => ClientRequest): Promise<OutgoingReply> {
  const { url, signal, bounds } = call;
  const { connectMs, replyMs, idleMs, replyBytes } = bounds;
  const request = open();
  const deadline = createDeadline(signal);
  let stage = connectMs === undefined ? "no reply" : "no connection";
  const start = (ms: number) => deadline.start(ms, () => `${stage} within ${Math.round(ms) / 1000} s`);
  start(connectMs ?? replyMs);
  if (connectMs !== undefined)
    request.on("socket", (socket) => {
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
        stage = "no reply";
        start(replyMs);
      });
    });
  request.on("timeout", () => deadline.fail(new OutOfTime(`no byte within ${Number(idleMs) / 1000} s`)));
  const response = responseTo(request).then((received) => {
    stage = "the reply did not end";
    return bodyOf(received, replyBytes(received.statusCode ?? 0));
  });
  const bodyTimer = sendBody(request, call);
  try {
    const reply = await deadline.race(response);
    // A connection whose reply or request has a rest cannot be used again.
    if (reply.isCut || !request.writableFinished) request.destroy();
    return reply;
  } catch (error) {
    request.destroy();
    throw error;
  } finally {
    clearTimeout(bodyTimer);
  }
}

function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  let interimReplies = 0;
  return new Promise((resolve, reject) => {
    request
      .on("information", () => {
        interimReplies += 1;
        if (interimReplies > MAX_INTERIM_REPLIES)
          reject(errorOf("ERR_REPLY_TOO_LONG", "the server sends only replies of 1xx"));
      })
      .on("error", reject)
      .on("close", () => reject(errorOf("ECONNRESET", "the server closed the connection without a reply")))
      .on("response", resolve);
  });
}

/** Sends the body; if the headers contain `Expect`, only once the server has accepted them. */
function sendBody(request: ClientRequest, { headers, body }: OutgoingCall): NodeJS.Timeout | undefined {
  const send = () => void (request.writableEnded || request.end(body));
  if (headers.expect !== "100-continue") return void send();
  request.once("continue", send);
  return setTimeout(send, CONTINUE_MS);
}

async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<OutgoingReply> {
  const { statusCode: status = 0 } = response;
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
  // Not a list of chunks, which may be of one byte and then take a hundred times as much.
  let body = Buffer.alloc(0);
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      const needed = bytes + chunk.length;
      if (needed > body.length) body = Buffer.concat([body.subarray(0, bytes)], Math.max(needed, 2 * bytes));
      chunk.copy(body, bytes);
      bytes = needed;
      if (bytes > maxBytes) break;
    }
  } catch {
    // Unlike ECONNRESET: the server has received the request, which is not repeated.
    throw errorOf("ERR_REPLY_CUT_OFF", "the reply was cut off");
  }
  const beginning = body.subarray(0, Math.min(bytes, maxBytes));
  return { status, headers: Object.fromEntries(headers), body: beginning, isCut: bytes > maxBytes };
}

function errorOf(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
