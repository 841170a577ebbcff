import { type Region, type WireReply, type WireRequest, WORLD_HEADER } from "../engine/http-message.ts";
import { createConnections, type OutgoingBounds, wholeReply } from "./outgoing.ts";

const BOUNDS: OutgoingBounds = {
  idleMs: 60_000,
  // Longer than a run that is waited for or streamed usually takes.
  replyMs: 300_000,
  replyBytes: () => 67_108_864,
};
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
  bounds = BOUNDS,
): Sender {
  const connections = createConnections(MAX_SOCKETS);

  const addressOf = ({ region, path, headers }: WireRequest) => {
    const base = agentUrl !== undefined && isAgentPath(path) ? agentUrl : addresses[region];
    // The world that a request is sent to by name may be another one than that of its base address.
    return WORLD_HEADER in headers ? base?.replace(/\/w\/[^/]+$/, "") : base;
  };

  async function send(request: WireRequest): Promise<WireReply> {
    const { region, method, path, headers: sentHeaders, body: sentBody } = request;
    const base = addressOf(request);
    if (base === undefined) throw new Unreachable(`the address of the ${region} region is unknown`);
    try {
      const url = new URL(base);
      const { status, headers, body } = await wholeReply({
        ...{ url, method, headers: sentHeaders, body: sentBody, connections, bounds },
        path: url.pathname.replace(/\/$/, "") + path,
      });
      return { status, headers, text: body.toString("utf8") };
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
    close: connections.close,
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

/** Paths of the agent server, where it has an address of its own. */
function isAgentPath(path: string): boolean {
  return /^\/(threads?|assistants|runs\/(crons|stream|wait|cancel)|info$|openapi\.json$)/.test(path);
}
