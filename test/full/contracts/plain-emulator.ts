import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { startEmulator } from "../../../emulator/runtime/index.ts";

type Options = Parameters<typeof startEmulator>[0];

/** What is wrong with the adapter. */
export interface AdapterMistakes {
  readonly clockStands?: boolean;
  readonly ownClock?: boolean;
  readonly keepsRecords?: boolean;
  readonly confirmsNothing?: boolean;
  readonly ignoresSettings?: boolean;
}

/** An emulator without its control API, as a complete server of somebody else, and an adapter for it. */
export async function startPlainEmulator(options: Options = {}, mistakes: AdapterMistakes = {}) {
  let emulator = await startEmulator({ clock: "flowing", ...options });
  const control = async (method: string, path: string, body?: object) =>
    (
      await fetch(`${emulator.url}/_emulator/v1${path}`, {
        method,
        headers: { "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      })
    ).json() as Promise<Record<string, unknown>>;

  const server = await listen((request, response) => {
    if (request.url?.startsWith("/_emulator") === true) return answer(response, 404, { detail: "Not Found" });
    const { hostname, port } = new URL(emulator.url);
    const { method, url: path, headers } = request;
    const forwarded = httpRequest({ hostname, port, method, path, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(response);
    });
    request.pipe(forwarded);
  });

  let ownTime: unknown;
  const routes: Readonly<Record<string, (body: Record<string, unknown>) => Promise<object>>> = {
    "GET /clock": async () => ({ now: ownTime ?? (await control("GET", "/clock")).now }),
    "POST /clock": async ({ now }) => {
      if (mistakes.ownClock) {
        ownTime = now;
        return { now };
      }
      if (!mistakes.clockStands) await control("POST", "/clock/advance", { to: now });
      return { now: (await control("GET", "/clock")).now };
    },
    "POST /restart": async ({ settings }) => {
      if (mistakes.ignoresSettings) return { settings };
      // The environment of a server in this process cannot be changed.
      const record = settings as Record<string, unknown>;
      if ("environment" in record) return { settings: {} };
      const next = await startEmulator({ clock: "flowing", ...options, ...(record as Options) });
      await emulator.close();
      emulator = next;
      return mistakes.confirmsNothing ? {} : { settings: record };
    },
    "POST /reset": async () => {
      if (!mistakes.keepsRecords) await control("POST", "/reset", {});
      return {};
    },
  };
  const adapter = await listen(async (request, response) => {
    const route = routes[`${request.method} ${request.url}`];
    if (!route) return answer(response, 404, {});
    await route(JSON.parse((await text(request)) || "{}")).then(
      (body) => answer(response, 200, body),
      (error: Error) => answer(response, 422, { message: error.message }),
    );
  });
  return {
    url: urlOf(server),
    adapterUrl: urlOf(adapter),
    s3Url: emulator.s3Url,
    async close() {
      for (const each of [server, adapter]) {
        each.closeAllConnections();
        await new Promise((closed) => each.close(closed));
      }
      await emulator.close();
    },
  };
}

function listen(onRequest: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<Server> {
  return new Promise((done) => {
    const server: Server = createServer(onRequest).listen(0, "127.0.0.1", () => done(server));
  });
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
