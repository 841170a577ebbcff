import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";

/** A server that a client should survive. */
export interface HostileServer {
  readonly url: string;
  /** Bytes that clients have let it send. */
  bytesSent(): number;
  close(): Promise<void>;
}

type Answer = (socket: Socket, url: string) => void;

const OK = "HTTP/1.1 200 OK\r\n";
const BOMB = gzipSync(Buffer.alloc(16 * 1024 * 1024));
const CHUNK = `10000\r\n${"<a/>".repeat(16_384)}\r\n`;
const DRIP_MS = 20;
const BACKLOG = 1;

/** Writes the text again and again, as fast as the client reads. */
function endlessly(socket: Socket, text: string): void {
  const bytes = Buffer.from(text);
  const write = () => {
    if (socket.destroyed) return;
    if (socket.write(bytes)) setImmediate(write);
    else socket.once("drain", write);
  };
  write();
}

/** Starts a server that does the same for each connection, after its first bytes. */
async function serve(answer: Answer, protocol = "http"): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  let closedBytes = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      closedBytes += socket.bytesWritten;
      sockets.delete(socket);
    });
    socket.once("data", () => answer(socket, url));
  });
  await listening(server);
  const url = `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    bytesSent: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, closedBytes),
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

function listening(server: Server): Promise<void> {
  return new Promise((done) => server.listen(0, "127.0.0.1", done));
}

/** Its thread sleeps. The connections that the system completes for it are taken, so that no further one is. */
async function neverAccepting(): Promise<HostileServer> {
  const worker = new Worker(
    `const { parentPort } = require("node:worker_threads");
     const server = require("node:net").createServer();
     server.listen({ port: 0, host: "127.0.0.1", backlog: ${BACKLOG} }, () => {
       parentPort.postMessage(server.address().port);
       setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
     });`,
    { eval: true },
  );
  const port = await new Promise<number>((done) => worker.once("message", done));
  const sockets = Array.from({ length: BACKLOG + 4 }, () => connect(port, "127.0.0.1"));
  for (const socket of sockets) socket.on("error", () => undefined);
  return {
    url: `http://127.0.0.1:${port}`,
    bytesSent: () => 0,
    async close() {
      for (const socket of sockets) socket.destroy();
      await worker.terminate();
    },
  };
}

const writing = (text: string) => () => serve((socket) => void socket.write(text));
const closing = (text: string) => () => serve((socket) => void socket.end(text));

/** What servers do to a client, and how to open one that does it. */
export const HOSTILE_SERVERS = {
  "101 with Upgrade": writing("HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n"),
  "101 without Upgrade": closing("HTTP/1.1 101 Switching\r\n\r\n"),
  "endless 1xx": () => serve((socket) => endlessly(socket, "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100))),
  "endless headers": () =>
    serve((socket) => {
      socket.write(OK);
      endlessly(socket, `X-More: ${"x".repeat(100)}\r\n`);
    }),
  "endless body": () =>
    serve((socket) => {
      socket.write(`${OK}ETag: "1"\r\nTransfer-Encoding: chunked\r\n\r\n`);
      endlessly(socket, CHUNK);
    }),
  "endless error": () =>
    serve((socket) => {
      socket.write("HTTP/1.1 500 Failed\r\nTransfer-Encoding: chunked\r\n\r\n");
      endlessly(socket, CHUNK);
    }),
  "a drip": () =>
    serve((socket) => {
      socket.write(`${OK}ETag: "1"\r\nContent-Length: 1000000\r\n\r\n`);
      const timer = setInterval(() => socket.write("x"), DRIP_MS);
      socket.on("close", () => clearInterval(timer));
    }),
  silence: () => serve(() => undefined),
  "a cut reply": closing(`${OK}ETag: "1"\r\nContent-Length: 100\r\n\r\npart`),
  "a reply longer than its length": closing(`${OK}ETag: "1"\r\nContent-Length: 2\r\n\r\nok and more`),
  "two lengths": closing(`${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`),
  "a gzip bomb": () =>
    serve((socket) => {
      socket.write(`${OK}ETag: "1"\r\nContent-Encoding: gzip\r\nContent-Length: ${BOMB.length}\r\n\r\n`);
      socket.end(BOMB);
    }),
  "closed before headers": closing(""),
  "closed within headers": closing("HTTP/1.1 200 OK\r\nX-Par"),
  "closed after headers": closing(`${OK}Content-Length: 10\r\n\r\n`),
  "reset by the server": () => serve((socket) => void socket.resetAndDestroy()),
  "never accepts": neverAccepting,
  "redirects in a circle": () =>
    serve(
      (socket, url) =>
        void socket.end(`HTTP/1.1 307 There\r\nLocation: ${url}/again\r\nContent-Length: 0\r\n\r\n`),
    ),
  "TLS from a server without it": () =>
    serve((socket) => void socket.end("HTTP/1.1 400 Bad\r\n\r\n"), "https"),
  "garbage in place of TLS": () => serve((socket) => void socket.end(Buffer.alloc(300, 0x16)), "https"),
  "TLS in place of HTTP": closing("\u0015\u0003\u0001\u0000\u0002\u0002\u0016"),
} satisfies Readonly<Record<string, () => Promise<HostileServer>>>;

export type Hostility = keyof typeof HOSTILE_SERVERS;
