import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpReply } from "../../subjects/message.ts";

/** Sends a reply; to HEAD without its body. */
export function send(
  reply: HttpReply,
  request: IncomingMessage,
  response: ServerResponse,
): void | Promise<void> {
  const { status, headers, body } = reply;
  if (typeof body !== "string" && !(body instanceof Uint8Array))
    return sendStream({ ...reply, body }, response);
  if (response.destroyed) return;
  const length = Buffer.byteLength(body);
  // Node writes flat lists of headers and Latin-1 texts fastest; ASCII text is the same in Latin-1.
  const lines = ["content-length", String(length)];
  for (const name in headers) lines.push(name, headers[name] as string);
  response.writeHead(status, lines);
  response.end(request.method === "HEAD" ? undefined : body, length === body.length ? "latin1" : "utf8");
}

/** The connections with a reply that ends only with its world. */
const endless = new WeakSet<Socket>();

/** Whether a connection has a reply that ends only with its world. */
export function isEndless(socket: Socket): boolean {
  return endless.has(socket);
}

export type StreamedReply = HttpReply & { readonly body: AsyncIterable<string | Uint8Array> };

/**
 * Sends a streamed reply with keep-alive texts. A client that disconnects ends the iteration
 * at once, even while it waits, so that nothing stays open.
 */
export async function sendStream(
  { status, headers, body, keepAlive, isEndless }: StreamedReply,
  response: ServerResponse,
): Promise<void> {
  const iterator = body[Symbol.asyncIterator]();
  const leave = () => void iterator.return?.();
  if (response.destroyed) return leave();
  response.once("close", leave);
  response.writeHead(status, headers);
  response.flushHeaders();
  const { socket } = response;
  if (isEndless && socket) endless.add(socket);
  const beat = keepAlive && setInterval(() => response.write(keepAlive.text), keepAlive.everyMs);
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done || response.destroyed) break;
      if (!response.write(value)) await drained(response);
    }
    response.off("close", leave);
    response.end();
  } catch {
    // The headers have been sent, so aborting the connection is the only way to report the error.
    response.destroy();
  } finally {
    clearInterval(beat);
    if (socket) endless.delete(socket);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
  });
}
