import { createServer, IncomingMessage, type Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Express } from "express";
import { Refusal } from "../../kernel/refusal.ts";
import { takesStream } from "../../subjects/control-prefix.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../../subjects/message.ts";
import { BodyTooLarge, receiveBody, UnreadableBody } from "./body.ts";
import type { ClientAddresses } from "./client-address.ts";
import { sendStream } from "./send-stream.ts";

/** Handler of the requests at a regional origin. */
export interface Listener {
  readonly region: string;
  readonly maxBodyBytes: () => number;
  handle(request: HttpRequest): Promise<HttpReply>;
  readonly clientAddresses: ClientAddresses;
}

const MAX_HEADERS = 200;
const SHORT_TEXT = 2048;
const KEEP_ALIVE_MS = 65_000;
/** Time limit of a whole request, which may upload gigabytes of a snapshot. */
const REQUEST_MS = 3_600_000;
/** Bytes that are still read after a body was refused. */
const DRAIN_MAX_BYTES = 64 * 1024 * 1024;
const DRAIN_MAX_MS = 5_000;

/** The HTTP server of one regional origin: Express in front of the gateway. */
export function createOrigin(listener: Listener): Server {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", false);
  app.use((request: IncomingMessage, response: ServerResponse) => {
    void replyTo(listener, request).then((reply) => send(reply, request, response));
  });
  const server = createServer(messagesOf(app), app);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxHeadersCount = MAX_HEADERS;
  server.requestTimeout = REQUEST_MS;
  return server;
}

/**
 * Express replaces the prototype of every request and reply. That doubles the cost of a short request and
 * delays garbage collection; this server creates them with the required prototypes.
 */
function messagesOf(app: Express) {
  class BornRequest extends IncomingMessage {}
  class BornResponse extends ServerResponse {}
  Object.setPrototypeOf(BornRequest.prototype, app.request);
  Object.setPrototypeOf(BornResponse.prototype, app.response);
  Object.assign(app, { request: BornRequest.prototype, response: BornResponse.prototype });
  return { IncomingMessage: BornRequest, ServerResponse: BornResponse };
}

/** Starts listening; resolves with the port (chosen by the system for 0) or rejects. */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** Stops accepting requests, waits briefly for open ones, then closes the remaining connections. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}

function send(reply: HttpReply, request: IncomingMessage, response: ServerResponse): void | Promise<void> {
  const { status, headers, body } = reply;
  if (typeof body !== "string" && !(body instanceof Uint8Array))
    return sendStream({ ...reply, body }, response);
  if (response.destroyed) return;
  // A short text is sent together with its headers; a long one is encoded once.
  const sent = typeof body === "string" && body.length > SHORT_TEXT ? Buffer.from(body) : body;
  response.writeHead(status, flat(headers, Buffer.byteLength(sent)));
  response.end(request.method === "HEAD" ? undefined : sent);
}

/** Headers as a flat list of names and values, which Node writes fastest. */
function flat(headers: HttpReply["headers"], contentLength: number): string[] {
  const all = ["content-length", String(contentLength)];
  for (const name in headers) all.push(name, headers[name] as string);
  return all;
}

async function replyTo(listener: Listener, request: IncomingMessage): Promise<HttpReply> {
  try {
    if (takesStream(request.method ?? "", pathOf(request))) return await replyToStream(listener, request);
    const body = hasBody(request) ? await receiveBody(request, listener.maxBodyBytes()) : NO_BODY;
    return await listener.handle(requestOf(listener, request, { body }));
  } catch (error) {
    const bodyProblem = problemOf(error, listener.maxBodyBytes());
    const reply = bodyProblem
      ? await listener.handle(requestOf(listener, request, { body: NO_BODY, bodyProblem }))
      : replyToFailure(request, error);
    await drainBody(request);
    // Unread bytes would be parsed as the next request of this connection.
    return { ...reply, headers: { ...reply.headers, connection: "close" } };
  }
}

/** An error with a complete request is a defect of the emulator (500). */
function replyToFailure({ complete }: IncomingMessage, error: unknown): HttpReply {
  if (!complete) return jsonReply(400, { detail: "The request was interrupted." });
  return jsonReply(500, { detail: `The emulator failed: ${String(error)}` });
}

async function replyToStream(listener: Listener, request: IncomingMessage): Promise<HttpReply> {
  try {
    return await listener.handle(requestOf(listener, request, { body: NO_BODY, stream: chunksOf(request) }));
  } finally {
    // Unread bytes are discarded while the reply is sent: some clients read only after sending everything.
    request.resume();
  }
}

/** Stops reading without destroying the connection, which still has to carry the reply. */
function chunksOf(request: IncomingMessage): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) };
}

function problemOf(error: unknown, maxBytes: number): Refusal | undefined {
  if (error instanceof BodyTooLarge)
    return new Refusal(413, "body_too_large", `The body is larger than ${maxBytes} bytes.`);
  if (error instanceof UnreadableBody) return new Refusal(415, "unreadable_body", error.message);
  return undefined;
}

/** Discards the rest of a body: closing the connection while the client sends would lose the reply. */
function drainBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.readableEnded || request.destroyed) return resolve();
    const timer = setTimeout(stop, DRAIN_MAX_MS);
    let bytes = 0;

    function stop(): void {
      clearTimeout(timer);
      request.off("data", take).off("end", stop).off("close", stop);
      resolve();
    }

    function take(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > DRAIN_MAX_BYTES) stop();
    }

    request.on("data", take).once("end", stop).once("close", stop);
    request.resume();
  });
}

const NO_BODY = new Uint8Array(0);

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function pathOf({ url = "/" }: IncomingMessage): string {
  const mark = url.indexOf("?");
  return mark === -1 ? url : url.slice(0, mark);
}

function requestOf(
  { region, clientAddresses }: Listener,
  request: IncomingMessage,
  received: Pick<HttpRequest, "body" | "bodyProblem" | "stream">,
): HttpRequest {
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  const headers = request.headers as Record<string, string | undefined>;
  return {
    region,
    // HEAD is GET without the body, which is left out when it is sent.
    method: request.method === "HEAD" ? "GET" : (request.method ?? "GET"),
    path: pathOf(request),
    query: mark === -1 ? "" : target.slice(mark + 1),
    headers,
    ...received,
    address: clientAddresses.find(request.socket.remoteAddress, headers["x-forwarded-for"]),
  };
}
