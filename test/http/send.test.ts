import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { send, sendStream } from "../../emulator/http/server/send.ts";

const CHUNK = "x".repeat(1 << 20);

/** The reply to one request; the server stops listening when it has been received. */
async function fetchFrom(server: Server): Promise<Response> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.close();
  return reply;
}

it("a long reply removes its listeners after each wait for the reader", async () => {
  const listeners: number[] = [];
  const server = createServer((_request, response) => {
    const body = async function* () {
      for (let count = 0; count < 12; count += 1) {
        listeners.push(response.listenerCount("close"));
        yield CHUNK;
      }
    };
    void sendStream({ status: 200, headers: {}, body: body() }, response);
  });
  const reply = await fetchFrom(server);
  expect((await reply.text()).length).toBe(12 * CHUNK.length);
  expect(new Set(listeners)).toEqual(new Set([listeners[0]]));
});

it.each(["", "plain", "ä", "ÿ€😀", "x".repeat(5_000)])(
  "a text is sent in UTF-8, whatever is in it",
  async (text) => {
    const server = createServer((request, response) => {
      void send({ status: 200, headers: {}, body: text }, request, response);
    });
    const reply = await fetchFrom(server);
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect(bytes).toEqual(Buffer.from(text));
    expect(reply.headers.get("content-length")).toBe(String(bytes.length));
  },
);
