import type { IncomingMessage, RequestListener, Server, ServerOptions } from "node:http";

/**
 * Creates HTTP servers. Importing node:http as a module would also load its lazy parts, such as the WebSocket client of
 * Node 22, which takes a third of a start.
 */
const { createServer } = process.getBuiltinModule("node:http");

/** Idle clients reuse connections after pauses; a connection that the server closes meanwhile would fail their next request. */
const KEEP_ALIVE_MS = 65_000;

export interface HttpServerOptions extends ServerOptions {
  /** The value of `limits.request_headers`. */
  readonly maxHeaders: number;
  /** The body of the reply (431) to a request with more headers. */
  readonly tooManyHeaders: (message: string) => { readonly type: string; readonly body: string };
}

/** Matches the origin in the absolute form of a request line, which clients send to a proxy: `GET http://host/path`. */
const ORIGIN = /^[a-z]+:\/\/([^/?#]*)\/?/i;

/** Replaces the absolute form by the path; its host counts, not that of the header (RFC 9112 §3.2.2). */
function readAbsoluteForm(request: IncomingMessage): void {
  const [origin, host] = ORIGIN.exec(request.url ?? "") ?? [];
  if (origin === undefined || host === undefined) return;
  request.url = `/${request.url?.slice(origin.length)}`;
  request.headers.host = host;
  // Signatures cover it.
  request.headersDistinct.host = [host];
}

/** A server that bounds the number of headers and reads both forms of the request line. */
export function createHttpServer(
  { maxHeaders, tooManyHeaders, ...options }: HttpServerOptions,
  listener: RequestListener,
): Server {
  const guarded: RequestListener = (request, response) => {
    if (request.rawHeaders.length <= 2 * maxHeaders) {
      if (!request.url?.startsWith("/")) readAbsoluteForm(request);
      return listener(request, response);
    }
    const message = `The request has more than ${maxHeaders} headers, the maximum by limits.request_headers.`;
    const { type, body } = tooManyHeaders(message);
    response.writeHead(431, { "content-type": type, connection: "close" }).end(body);
  };
  const server = createServer({ ...options, keepAliveTimeout: KEEP_ALIVE_MS }, guarded);
  // Node leaves out further headers without an error.
  server.maxHeadersCount = maxHeaders + 1;
  // An unknown expectation is ignored. Node would respond with 417 and no document.
  server.on("checkExpectation", guarded);
  return server;
}
