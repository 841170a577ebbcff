import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { PostFailed } from "./post-failed.ts";
import { type Address, lookupOf } from "./resolver.ts";

/** One request, with its bounds in milliseconds and bytes. */
export interface Call {
  readonly url: URL;
  readonly method: "POST" | "GET";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The only ones that are connected to. */
  readonly addresses: readonly Address[];
  readonly signal: AbortSignal;
  readonly connectMs: number;
  /** For the whole answer, once there is a connection. */
  readonly readMs: number;
  readonly replyBytes: number;
}

/** What a receiver has answered. */
export interface Exchange {
  readonly status: number;
  readonly location: string | undefined;
  /** The beginning of the body. */
  readonly reply: string;
}

/** One request and the beginning of its answer, over a connection of its own. */
export async function exchange(call: Call): Promise<Exchange> {
  const timeouts = createTimeouts();
  try {
    const response = await send(call, timeouts);
    const { statusCode: status = 0, headers } = response;
    const reply = await beginningOf(response, call.replyBytes);
    response.destroy();
    return { status, location: headers.location, reply };
  } finally {
    timeouts.end();
  }
}

function send(call: Call, timeouts: Timeouts): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { url, method, body, signal, addresses } = call;
    const request = url.protocol === "https:" ? requestSecure : requestPlain;
    const sent: ClientRequest = request(url, {
      method,
      agent: false,
      signal,
      lookup: lookupOf(addresses),
      headers: { ...call.headers, ...(method === "POST" && { "content-length": Buffer.byteLength(body) }) },
    });
    const late = (what: string) => sent.destroy(new PostFailed("timeout", what));
    timeouts.set(call.connectMs, () => late(`No connection to ${url.hostname} in time.`));
    sent.once("socket", (socket) => {
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
        timeouts.set(call.readMs, () => late(`No answer from ${url.hostname} within ${call.readMs} ms.`));
      });
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      // From here on a late answer breaks off while its body is read.
      response.once("error", () => undefined);
      timeouts.instead(() =>
        response.destroy(new PostFailed("timeout", `The answer of ${url.hostname} took too long.`)),
      );
      resolve(response);
    });
    sent.end(body);
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

interface Timeouts {
  /** Replaces the one that runs. */
  set(ms: number, act: () => void): void;
  /** Keeps the time that is left and does something else when it is up. */
  instead(act: () => void): void;
  end(): void;
}

function createTimeouts(): Timeouts {
  let timer: NodeJS.Timeout | undefined;
  let then = () => {};
  return {
    set(ms, act) {
      clearTimeout(timer);
      then = act;
      timer = setTimeout(() => then(), ms);
    },
    instead(act) {
      then = act;
    },
    end: () => clearTimeout(timer),
  };
}
