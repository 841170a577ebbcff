import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { PostFailed } from "./post-failed.ts";
import { type Address, lookupOf } from "./resolver.ts";

/** One request, with its limits in milliseconds and bytes. */
export interface Call {
  readonly url: URL;
  readonly method: "POST" | "GET";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The checked addresses; no other address is connected to. */
  readonly addresses: readonly Address[];
  readonly signal: AbortSignal;
  readonly connectMs: number;
  /** Time-out for the whole reply, from the connection on. */
  readonly readMs: number;
  readonly replyBytes: number;
}

/** A receiver's reply. */
export interface Exchange {
  readonly status: number;
  readonly location: string | undefined;
  /** The first `maxBytes` of the body. */
  readonly reply: string;
}

/** Sends one request over a new connection and reads the beginning of the reply. */
export async function exchange(call: Call): Promise<Exchange> {
  const timeouts = createTimeouts();
  try {
    // TLS is loaded with the first receiver that needs it.
    const { request } = await import(call.url.protocol === "https:" ? "node:https" : "node:http");
    const response = await send(request, call, timeouts);
    const { statusCode: status = 0, headers } = response;
    const reply = await beginningOf(response, call.replyBytes);
    response.destroy();
    return { status, location: headers.location, reply };
  } finally {
    timeouts.end();
  }
}

type SendRequest = (url: URL, options: RequestOptions) => ClientRequest;

function send(request: SendRequest, call: Call, timeouts: Timeouts): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { url, method, body, signal, addresses } = call;
    const outgoing = request(url, {
      method,
      agent: false,
      signal,
      lookup: lookupOf(addresses),
      headers: { ...call.headers, ...(method === "POST" && { "content-length": Buffer.byteLength(body) }) },
    });
    const late = (message: string) => outgoing.destroy(new PostFailed("timeout", message));
    timeouts.set(call.connectMs, () => late(`No connection to ${url.hostname} in time.`));
    outgoing.once("socket", (socket) => {
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
        timeouts.set(call.readMs, () => late(`No answer from ${url.hostname} within ${call.readMs} ms.`));
      });
    });
    outgoing.once("error", reject);
    outgoing.once("response", (response) => {
      // From here on the time-out aborts the reading of the body.
      response.once("error", () => undefined);
      timeouts.instead(() =>
        response.destroy(new PostFailed("timeout", `The answer of ${url.hostname} took too long.`)),
      );
      resolve(response);
    });
    outgoing.end(body);
  });
}

async function beginningOf(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8");
}

type Timeouts = ReturnType<typeof createTimeouts>;

function createTimeouts() {
  let timer: NodeJS.Timeout | undefined;
  let then = () => {};
  return {
    /** Starts a timer in place of the current one. */
    set(ms: number, act: () => void): void {
      clearTimeout(timer);
      then = act;
      timer = setTimeout(() => then(), ms);
    },
    /** Replaces the action of the current timer; the remaining time is unchanged. */
    instead(act: () => void): void {
      then = act;
    },
    end: () => clearTimeout(timer),
  };
}
