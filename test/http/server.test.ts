import { once } from "node:events";
import { request, type Server } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createBrowserGuard } from "../../emulator/http/server/browser-guard.ts";
import type { ClientAddresses } from "../../emulator/http/server/client-address.ts";
import { closeServer, createOrigin, listen } from "../../emulator/http/server/server.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../../emulator/subjects/message.ts";

let server: Server;

afterEach(() => closeServer(server, 100));

async function originOf(handle: (request: HttpRequest) => Promise<HttpReply>): Promise<string> {
  const clientAddresses: ClientAddresses = { find: () => "127.0.0.1" };
  const limits = { body_bytes: 10, request_headers: 20 };
  server = createOrigin({
    region: "us",
    limits,
    clientAddresses,
    guard,
    consoleFolder: "dist/console",
    handle,
  });
  return `http://127.0.0.1:${await listen(server, 0, "127.0.0.1")}`;
}

async function* unending(): AsyncGenerator<string> {
  yield "first";
  await new Promise(() => {});
}

const guard = createBrowserGuard({ allowedHosts: [], corsOrigins: [] });
const post = (url: string, body: string) => fetch(url, { method: "POST", body });

/** The reply to a request with this target and further headers. */
function ask(url: string, path: string, headers: Record<string, string> = {}): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const clientRequest = request({ hostname, port, path, headers }, async (reply) =>
      resolve([reply.statusCode ?? 0, await text(reply)]),
    );
    clientRequest.on("error", reject).end();
  });
}

const manyHeaders = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, "a"]));

describe("an origin", () => {
  it("reads the absolute form of a request line, whose host counts", async () => {
    const paths: string[] = [];
    const url = await originOf(async ({ path, query }) => {
      paths.push(`${path}?${query}`);
      return jsonReply(200, {});
    });
    for (const target of [`${url}/info?a=1`, "HTTP://localhost?b=2", "http://localhost"])
      expect((await ask(url, target, { host: "other.example" }))[0]).toBe(200);
    expect(paths).toEqual(["/info?a=1", "/?b=2", "/?"]);
    for (const origin of [
      "http://other.example",
      "ftp://other.example",
      "http://",
      "http://localhost@other.example",
    ])
      for (const path of ["/info", "/_emulator/v1/status"]) {
        const [status, body] = await ask(url, `${origin}${path}`);
        expect([origin, status, body]).toEqual([origin, 403, expect.stringContaining("host")]);
      }
    expect(paths).toHaveLength(3);
  });

  it("answers 431 to more headers than limits.request_headers", async () => {
    const url = await originOf(async () => jsonReply(200, {}));
    // Host and Connection are headers, too.
    expect((await ask(url, "/info", manyHeaders(18)))[0]).toBe(200);
    expect(await ask(url, "/info", manyHeaders(19))).toEqual([
      431,
      JSON.stringify({
        detail: "The request has more than 20 headers, the maximum by limits.request_headers.",
      }),
    ]);
  });

  it("reports an error of its handler, and continues", async () => {
    let isBroken = true;
    const url = await originOf(async () => {
      if (isBroken) throw new Error("nobody is at home");
      return jsonReply(200, {});
    });
    const reply = await post(url, "{}");
    expect([reply.status, await reply.json()]).toEqual([
      500,
      { detail: "The emulator failed: Error: nobody is at home" },
    ]);
    isBroken = false;
    expect((await post(url, "{}")).status).toBe(200);
  });

  it("waits for open requests when it closes, but not for connections without a request", async () => {
    let answer = (_: HttpReply) => {};
    let begun = () => {};
    const handled = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const url = await originOf(() => {
      begun();
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    const unused = connect(Number(new URL(url).port), "127.0.0.1");
    await once(unused, "connect");
    const request = post(url, "{}");
    await handled;
    const cut = new Promise((resolve) => unused.resume().once("close", resolve));
    const closed = closeServer(server, 600_000);
    await cut;
    answer(jsonReply(200, {}));
    expect((await request).status).toBe(200);
    await closed;
  });

  it("waits for all replies when it closes, except for those that end with their world", async () => {
    let answer: ((reply: HttpReply) => void) | undefined;
    const url = await originOf(async ({ path }) => {
      if (path === "/endless") return { status: 200, headers: {}, body: unending(), isEndless: true };
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    const endless = await fetch(`${url}/endless`);
    const cut = endless.text().catch((error: Error) => error.message);
    const request = post(url, "{}");
    await expect.poll(() => answer).toBeDefined();
    const looked = vi.spyOn(server, "closeIdleConnections");
    const closed = closeServer(server, 600_000);
    await expect.poll(() => looked.mock.calls.length).toBeGreaterThan(3);
    answer?.(jsonReply(200, {}));
    expect((await request).status).toBe(200);
    await closed;
    expect(await cut).toBe("terminated");
  });

  it("hands a body that is too long on as a problem, without the body", async () => {
    const events: HttpRequest[] = [];
    const url = await originOf(async (request) => {
      events.push(request);
      return jsonReply(request.bodyProblem?.status ?? 200, {});
    });
    expect((await post(url, "x".repeat(11))).status).toBe(413);
    expect(events.map(({ body, bodyProblem }) => [body.length, bodyProblem?.code])).toEqual([
      [0, "body_too_large"],
    ]);
  });
});
