import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as overHttp } from "node:http";
import { Agent as HttpsAgent, request as overHttps } from "node:https";
import { type Region, type WireReply, type WireRequest, WORLD_HEADER } from "../engine/http-message.ts";

/** Without a byte. */
const TIMEOUT_MS = 60_000;
/** For a complete reply: longer than a run that is waited for or streamed usually takes. */
const REPLY_TIMEOUT_MS = 300_000;
const MAX_REPLY_BYTES = 67_108_864;
const MAX_SOCKETS = 64;

/** Sends over the network; owns its connections. */
export interface Sender {
  send(request: WireRequest): Promise<WireReply>;
  /** Base address that a request goes to. */
  addressOf(request: WireRequest): string | undefined;
  close(): void;
}

/** The server cannot be reached or used; the message says what to do. */
export function createSender(
  addresses: Readonly<Partial<Record<Region, string>>>,
  agentUrl?: string,
): Sender {
  const connections = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const agents = { "http:": new HttpAgent(connections), "https:": new HttpsAgent(connections) };

  const addressOf = ({ region, path, headers }: WireRequest) => {
    const base = agentUrl !== undefined && isAgentPath(path) ? agentUrl : addresses[region];
    // The world that a request is sent to by name may be another one than that of its base address.
    return WORLD_HEADER in headers ? base?.replace(/\/w\/[^/]+$/, "") : base;
  };

  async function send(request: WireRequest): Promise<WireReply> {
    const { region, method, path } = request;
    const base = addressOf(request);
    if (base === undefined) throw new Unreachable(`the address of the ${region} region is unknown`);
    try {
      return await exchange(agents, base, request);
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      if (REASONS[code] !== undefined) throw new Unreachable(`${base}: ${REASONS[code]}`);
      const reason = message || code || "no reply was received";
      throw new Unreachable(`${method} ${base}${path.replace(/\?.*$/, "")}: ${reason}`);
    }
  }

  return {
    send,
    addressOf,
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Explanation and advice for a failed connection, by error code of the system or of TLS. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens at this address; start the server, or give another address",
  ENOTFOUND: "no host with this name",
  EAI_AGAIN: "the host name could not be resolved",
  EHOSTUNREACH: "no route to this host",
  ENETUNREACH: "no route to this network",
  EPROTO: "the server does not use TLS; give an address that begins with http:",
  HPE_INVALID_CONSTANT: "the server does not use plain HTTP; give an address that begins with https:",
};

/** No reply came. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

type Agents = { readonly "http:": HttpAgent; readonly "https:": HttpsAgent };

async function exchange(agents: Agents, base: string, wireRequest: WireRequest): Promise<WireReply> {
  let clientRequest: ClientRequest | undefined;
  try {
    return await sendOnce(agents, base, wireRequest, (request) => {
      clientRequest = request;
    });
  } catch (error) {
    // The server may close an idle connection just as it is used again.
    if (!clientRequest?.reusedSocket || (error as NodeJS.ErrnoException).code !== "ECONNRESET") throw error;
    return sendOnce(undefined, base, wireRequest, () => undefined);
  }
}

/** Uses a new connection when no agent is given. */
function sendOnce(
  agents: Agents | undefined,
  base: string,
  { method, path, headers, body }: WireRequest,
  onSent: (request: ClientRequest) => void,
): Promise<WireReply> {
  const { protocol, hostname, port, pathname } = new URL(base);
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  const options = {
    method,
    // The path unchanged: URL would resolve dots and correct deliberate mistakes.
    path: pathname.replace(/\/$/, "") + path,
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port,
    headers: { ...headers, ...length },
    timeout: TIMEOUT_MS,
  };
  return new Promise((resolve, reject) => {
    const request =
      protocol === "https:"
        ? overHttps({ ...options, agent: agents?.["https:"] ?? false })
        : overHttp({ ...options, agent: agents?.["http:"] ?? false });
    onSent(request);
    const giveUp = (reason: string) => {
      reject(new Error(reason));
      request.destroy();
    };
    const timer = setTimeout(
      () => giveUp(`the reply did not end within ${REPLY_TIMEOUT_MS / 1000} s`),
      REPLY_TIMEOUT_MS,
    );
    request
      .on("timeout", () => giveUp(`no reply within ${TIMEOUT_MS / 1000} s`))
      .on("error", reject)
      .on("response", (response) => replyOf(response).then(resolve, reject))
      .on("close", () => clearTimeout(timer))
      .end(body);
  });
}

async function replyOf(response: IncomingMessage): Promise<WireReply> {
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REPLY_BYTES) throw new Error(`the reply has more than ${MAX_REPLY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    text: Buffer.concat(chunks).toString("utf8"),
  };
}

/** Paths of the agent server, where it has an address of its own. */
function isAgentPath(path: string): boolean {
  return /^\/(threads?|assistants|runs\/(crons|stream|wait|cancel)|info$|openapi\.json$)/.test(path);
}
