import { Agent, request } from "node:http";

/** What a server said, as far as a soak looks at it; 0 for a connection that was cut. */
export interface Said {
  readonly status: number;
  readonly text: string;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Streams may never end: what they say is not waited for. */
const STREAM = "text/event-stream";
const PATIENCE_MS = 30_000;

/** Sends requests to a server over so many connections that are kept. */
export function createSender(url: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);

  function send({ method, path, headers = {}, body }: Asked): Promise<Said> {
    return new Promise((resolve) => {
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const outgoing = request(
        { hostname, port, method, path, agent, headers: { ...headers, ...length } },
        (reply) => {
          const status = reply.statusCode ?? 0;
          if (reply.headers["content-type"]?.startsWith(STREAM)) {
            resolve({ status, text: "" });
            outgoing.destroy();
            return;
          }
          let text = "";
          reply.setEncoding("utf8").on("data", (piece) => {
            text += piece;
          });
          reply.on("end", () => resolve({ status, text })).on("error", () => resolve({ status: 0, text }));
        },
      );
      outgoing.setTimeout(PATIENCE_MS, () => outgoing.destroy(new Error("no reply in time")));
      outgoing.on("error", (error) => resolve({ status: 0, text: String(error) }));
      outgoing.end(body);
    });
  }

  return { send, close: () => agent.destroy() };
}

/** Keeps `lanes` requests open until all are sent. */
export async function sendAll<T>(
  lanes: number,
  requests: Iterator<T>,
  send: (request: T) => Promise<void>,
): Promise<void> {
  const lane = async (): Promise<void> => {
    for (let next = requests.next(); !next.done; next = requests.next()) await send(next.value);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
