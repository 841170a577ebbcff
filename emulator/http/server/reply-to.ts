import type { IncomingMessage } from "node:http";
import { refusalIn } from "../../kernel/system-refusal.ts";
import { takesStream } from "../../subjects/control-prefix.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../../subjects/message.ts";
import type { Settings } from "../../subjects/settings.ts";
import { earlyRefusalReply } from "../refusal-reply.ts";
import { BodyProblem, drainBody, receiveBody } from "./body.ts";
import type { BrowserGuard } from "./browser-guard.ts";
import type { ClientAddresses } from "./client-address.ts";

/** Handler of the requests at a regional origin. */
export interface Listener {
  readonly region: string;
  readonly limits: Pick<Settings["limits"], "body_bytes" | "request_headers">;
  readonly clientAddresses: ClientAddresses;
  readonly guard: BrowserGuard;
  /** The built files of the console. */
  readonly consoleFolder: string;
  handle(request: HttpRequest): Promise<HttpReply>;
}

const NO_BODY = new Uint8Array(0);

/** The reply to a request, whose body is received first, or handed on as a stream where it may be larger than memory. */
export async function replyTo(listener: Listener, incoming: IncomingMessage): Promise<HttpReply> {
  const request = withoutBody(listener, incoming);
  try {
    const foreign = listener.guard.refusalOf(incoming);
    if (foreign) throw foreign;
    if (takesStream(request.method, request.path)) return await replyToStream(listener, incoming, request);
    const body = await receiveBody(incoming, listener.limits.body_bytes);
    return await listener.handle({ ...request, body });
  } catch (error) {
    const reply =
      error instanceof BodyProblem
        ? await listener.handle({ ...request, bodyProblem: error })
        : replyToFailure(incoming, request.path, error);
    await drainBody(incoming);
    // Unread bytes would be parsed as the next request of this connection.
    return { ...reply, headers: { ...reply.headers, connection: "close" } };
  }
}

function withoutBody({ region, clientAddresses }: Listener, incoming: IncomingMessage): HttpRequest {
  const { url = "/", method = "GET", socket } = incoming;
  const headers = incoming.headers as Record<string, string | undefined>;
  const mark = url.indexOf("?");
  return {
    region,
    // HEAD is GET without the body, which is left out when it is sent.
    method: method === "HEAD" ? "GET" : method,
    path: mark === -1 ? url : url.slice(0, mark),
    query: mark === -1 ? "" : url.slice(mark + 1),
    headers,
    body: NO_BODY,
    isAbandoned: () => !socket.writable,
    address: clientAddresses.find(socket.remoteAddress, headers["x-forwarded-for"]),
  };
}

/** The reply that an error leads to; with a complete request one of the emulator is a defect of it (500). */
export function replyToFailure({ complete }: IncomingMessage, path: string, error: unknown): HttpReply {
  const refusal = refusalIn(error);
  if (refusal) return earlyRefusalReply(refusal, path);
  if (!complete) return jsonReply(400, { detail: "The request was interrupted." });
  return jsonReply(500, { detail: `The emulator failed: ${String(error)}` });
}

async function replyToStream(
  listener: Listener,
  incoming: IncomingMessage,
  request: HttpRequest,
): Promise<HttpReply> {
  try {
    return await listener.handle({ ...request, stream: chunksOf(incoming) });
  } finally {
    // Unread bytes are discarded while the reply is sent: some clients read only after sending everything.
    incoming.resume();
  }
}

/** Stops reading without destroying the connection, which still has to carry the reply. */
function chunksOf(incoming: IncomingMessage): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => incoming.iterator({ destroyOnReturn: false }) };
}
