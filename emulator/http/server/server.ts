import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { CONTROL_PREFIX } from "../../subjects/control-prefix.ts";
import { createControlApp } from "./control-app.ts";
import { createHttpServer } from "./node-http.ts";
import { type Listener, replyTo, replyToFailure } from "./reply-to.ts";
import { isEndless, send } from "./send.ts";

/** Time limit of a whole request, which may upload gigabytes of a snapshot. */
const REQUEST_MS = 3_600_000;

/** The HTTP server of one regional origin; the control operations and the console are behind Express, loaded with their first request. */
export function createOrigin(listener: Listener): Server {
  let controlApp: Promise<RequestListener> | undefined;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url?.includes(CONTROL_PREFIX) && !isBrowserAtRoot(request))
      return send(await replyTo(listener, request), request, response);
    controlApp ??= createControlApp(listener);
    (await controlApp)(request, response);
  }

  const options = {
    maxHeaders: listener.limits.request_headers,
    tooManyHeaders: (detail: string) => ({ type: "application/json", body: JSON.stringify({ detail }) }),
  };
  const server = createHttpServer(options, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      controlApp = undefined;
      return send(replyToFailure(request, request.url ?? "/", error), request, response);
    });
  });
  server.requestTimeout = REQUEST_MS;
  return server;
}

/** A person who opens the address in a browser is led to the console; a client gets the reply of the API. */
function isBrowserAtRoot({ url, headers }: IncomingMessage): boolean {
  return url === "/" && headers.accept?.includes("text/html") === true;
}

/** The open connections of the servers that listen. */
const connections = new WeakMap<Server, Set<Socket>>();

function trackConnections(server: Server): void {
  const open = new Set<Socket>();
  connections.set(server, open);
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
}

/** Starts listening; resolves with the port (chosen by the system for 0) or rejects. */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  trackConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

const CLOSE_IDLE_EVERY_MS = 20;

/** Stops accepting requests, waits briefly for open ones, then closes the remaining connections: at once where no other reply ends by itself. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const open = connections.get(server) ?? new Set();
  const whenClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // To Node one that a client has opened in advance is not idle.
  for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  // A connection whose request was answered meanwhile is kept alive by the client, not needed.
  const closeIdle = setInterval(() => {
    server.closeIdleConnections();
    if ([...open].every(isEndless)) server.closeAllConnections();
  }, CLOSE_IDLE_EVERY_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await whenClosed;
  clearInterval(closeIdle);
  clearTimeout(cut);
}
