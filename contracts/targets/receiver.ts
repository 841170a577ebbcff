import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Delivery, Receiver } from "../engine/target.ts";

/** ETag of an empty object: a receiver may act as an object store that keeps nothing. */
const EMPTY = '"d41d8cd98f00b204e9800998ecf8427e"';

/** Starts a local HTTP server that records its requests; `hostName` is the name that others reach it by. */
export async function openReceiver(hostName?: string): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const statuses: number[] = [];
  const waiting = new Set<() => void>();

  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString("utf8");
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    deliveries.push({ method: request.method ?? "", path: request.url ?? "", headers, body });
    response.writeHead(statuses.shift() ?? 200, { etag: EMPTY });
    // Most receivers of webhooks answer with a text, which must not make the delivery fail.
    response.end(request.method === "POST" ? "received" : undefined);
    for (const notify of [...waiting]) notify();
  });
  await new Promise<void>((listening) =>
    server.listen(0, hostName === undefined ? "127.0.0.1" : "0.0.0.0", listening),
  );

  return {
    url: `http://${hostName ?? "127.0.0.1"}:${(server.address() as AddressInfo).port}`,
    deliveries,
    answerWith: (...next) => void statuses.push(...next),
    arrived(count, withinMs) {
      if (deliveries.length >= count) return Promise.resolve(true);
      return new Promise((resolve) => {
        const settle = (outcome: boolean) => {
          clearTimeout(timer);
          waiting.delete(check);
          resolve(outcome);
        };
        const check = () => {
          if (deliveries.length >= count) settle(true);
        };
        const timer = setTimeout(() => settle(false), withinMs);
        waiting.add(check);
      });
    },
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
