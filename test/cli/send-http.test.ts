import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { sendChecked } from "../../bin/running.ts";

const LONG_MS = 300_000;

async function serverThat(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("sends method, path, headers and a body of any characters, and reads the whole reply", async () => {
  const url = await serverThat(async (request, reply) => {
    const line = `${request.method} ${request.url} ${request.headers["x-a"]} ${await text(request)}`;
    reply.writeHead(207, { "X-B": "b" }).write(line.slice(0, 5));
    reply.end(line.slice(5));
  });
  const send = sendChecked(url, LONG_MS);
  const reply = await send("/p?q=1", { method: "PUT", headers: { "x-a": "a" }, body: "añ☃" });
  expect([reply.status, reply.headers.get("x-b"), reply.headers.get("x-c"), await reply.text()]).toEqual([
    207,
    "b",
    null,
    "PUT /p?q=1 a añ☃",
  ]);
});

it.each<[string, RequestListener, number]>([
  ["closes the connection", (request) => request.socket.destroy(), LONG_MS],
  [
    "ends within its reply",
    (_, reply) => {
      reply.writeHead(200, { "content-length": 10 }).write("five.");
      reply.socket?.end();
    },
    LONG_MS,
  ],
  ["never answers", () => undefined, 50],
])("reports that nothing answers if a server %s", async (_, answer, timeoutMs) => {
  const url = await serverThat(answer);
  await expect(sendChecked(url, timeoutMs)("/", { method: "GET", headers: {} })).rejects.toMatchObject({
    name: "NoReply",
    message: expect.stringContaining(url),
  });
});

it("refuses a header that cannot be sent, before it connects", async () => {
  const send = sendChecked("http://127.0.0.1:9", LONG_MS);
  await expect(send("/", { method: "GET", headers: { "x-api-key": "ключ" } })).rejects.toMatchObject({
    name: "UsageError",
    message: 'the header x-api-key cannot have the value "ключ"',
  });
});
