// Returns a given reply, or keeps threads in a Map, with one of these servers: the cost of a server that stores and checks nothing.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const [kind, file] = process.argv.slice(2);
const page = file === undefined ? undefined : JSON.parse(readFileSync(file, "utf8"));

const SERVERS = {
  /** Express as usually written. */
  async express() {
    const { default: express } = await import("express");
    const app = express();
    app.get("/threads/:thread_id/runs", (_request, response) => response.json(page));
    return listening(app.listen(0, "127.0.0.1"));
  },

  async fastify() {
    const { default: fastify } = await import("fastify");
    const app = fastify();
    app.get("/threads/:thread_id/runs", (_request, reply) => reply.send(page));
    app.post("/runs/query", (_request, reply) => reply.send(page));
    await app.listen({ port: 0, host: "127.0.0.1" });
    return app.server.address().port;
  },

  async "fastify-threads"() {
    const { default: fastify } = await import("fastify");
    const app = fastify();
    const threads = new Map();
    app.post("/threads", (_request, reply) => reply.send(keptThread(threads)));
    await app.listen({ port: 0, host: "127.0.0.1" });
    return app.server.address().port;
  },

  node() {
    const server = createServer((_request, response) => sendJson(response, page));
    return listening(server.listen(0, "127.0.0.1"));
  },

  /** Little more than what each server on node:http has to do. */
  "node-threads"() {
    const threads = new Map();
    const server = createServer(async (request, response) => {
      JSON.parse(await text(request));
      sendJson(response, keptThread(threads));
    });
    return listening(server.listen(0, "127.0.0.1"));
  },
};

function keptThread(threads) {
  const now = new Date().toISOString();
  const thread = {
    thread_id: randomUUID(),
    created_at: now,
    updated_at: now,
    metadata: {},
    status: "idle",
    config: {},
    values: null,
    interrupts: {},
  };
  threads.set(thread.thread_id, thread);
  return thread;
}

function sendJson(response, value) {
  const body = JSON.stringify(value);
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

function listening(server) {
  return new Promise((resolve) => server.once("listening", () => resolve(server.address().port)));
}

console.log(JSON.stringify({ url: `http://127.0.0.1:${await SERVERS[kind]()}` }));
