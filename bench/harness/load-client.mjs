// Sends requests over keep-alive connections, in a process of its own, so that no work of the client is counted as
// the server's. It gets its order as JSON, prepares its bodies, prints a line, waits for one and prints its result.
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { BODIES } from "../rows.mjs";

/**
 * `count` requests, or as many as `ms` allow: one request again and again; with `bodies` of one of BODIES, each of
 * other rows; or those of the JSON file `requests`, in which `bytes` is the size of a body or `text` is a body: each once, or
 * in turn for `ms`.
 */
const { origin, method, path, headers, body, bodies, requests, connections, ms, count } = JSON.parse(
  process.argv[2],
);
const { hostname, port } = new URL(origin);
const END = "\r\n\r\n";
/** Bytes of a body that is sent with its head. */
const SMALL = 16 * 1024;
const LAST_CHUNK = "0\r\n\r\n";
/** Bodies that are made before the time is taken; those beyond are made when they are sent. */
const PREPARED = 1_000;

const nextRequest = requestSource();
const result = { requests: 0, failed: 0 };
process.stdout.write("ready\n");
await new Promise((go) => process.stdin.once("data", go));
const began = performance.now();
const until = ms === undefined ? Number.POSITIVE_INFINITY : began + ms;
await Promise.all(Array.from({ length: connections }, client));
process.stdout.write(`${JSON.stringify({ ...result, wallMs: performance.now() - began })}\n`);
process.stdin.once("end", () => process.exit()).resume();

/** A function that returns the next request as chunks of bytes, or undefined at the end. */
function requestSource() {
  if (requests !== undefined) {
    const listed = JSON.parse(readFileSync(requests, "utf8"));
    const largest = Buffer.alloc(Math.max(0, ...listed.map(({ bytes = 0 }) => bytes)), "x");
    const made = listed.map(({ bytes = 0, text, ...each }) =>
      piecesOf(each, text === undefined ? largest.subarray(0, bytes) : Buffer.from(text)),
    );
    let sent = 0;
    return () => (ms === undefined ? made.shift() : made[sent++ % made.length]);
  }
  if (bodies === undefined) {
    const one = piecesOf(
      { method, path, headers },
      Buffer.from(body === undefined ? "" : JSON.stringify(body)),
    );
    let left = count ?? Number.POSITIVE_INFINITY;
    return () => (left-- > 0 ? one : undefined);
  }
  const { kind, from, rows, session } = bodies;
  const { bodyOf, contentType } = BODIES[kind];
  const all = { ...headers, "content-type": contentType };
  const make = (n) =>
    piecesOf({ method, path, headers: all }, Buffer.from(bodyOf(from + n * rows, rows, session)));
  const made = Array.from({ length: Math.min(count, PREPARED) }, (_, n) => make(n));
  let next = 0;
  return () => {
    if (next >= count) return undefined;
    const pieces = made[next] ?? make(next);
    delete made[next++];
    return pieces;
  };
}

function piecesOf(request, bytes) {
  const head = [
    `${request.method} ${request.path} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    ...Object.entries(request.headers ?? {}).flatMap(([name, value]) =>
      /^(host|content-length)$/i.test(name) ? [] : [`${name}: ${value}`],
    ),
    ...(bytes.length > 0 || request.method !== "GET" ? [`content-length: ${bytes.length}`] : []),
    "\r\n",
  ].join("\r\n");
  const pieces = [Buffer.from(head), bytes];
  // Small requests are sent in one write, as clients send them.
  return bytes.length < SMALL ? [Buffer.concat(pieces)] : pieces;
}

/** One connection: the next request goes out when the reply to the last one is whole. */
function client() {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let reply = newReply();
    const ask = () => {
      const pieces = performance.now() < until ? nextRequest() : undefined;
      if (pieces === undefined) {
        socket.end();
        return resolve();
      }
      for (const piece of pieces) socket.write(piece);
    };
    socket.once("connect", ask);
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the server closed a connection")));
    socket.on("data", (chunk) => {
      if (!take(reply, chunk)) return;
      result.requests += 1;
      if (!/^HTTP\/1\.1 2/.test(reply.head)) {
        result.failed += 1;
        result.first ??= reply.head.slice(0, 40).split("\r\n")[0] + reply.tail;
      }
      reply = newReply();
      ask();
    });
  });
}

function newReply() {
  return { held: undefined, head: undefined, left: undefined, tail: "" };
}

/** Adds bytes to a reply; whether it is whole, by its length or its last chunk. */
function take(reply, chunk) {
  let bytes = chunk;
  if (reply.head === undefined) {
    const held = reply.held ? Buffer.concat([reply.held, chunk]) : chunk;
    const end = held.indexOf(END, 0, "latin1");
    reply.held = held;
    if (end === -1) return false;
    reply.head = held.latin1Slice(0, end);
    const isChunked = /\r\ntransfer-encoding: *chunked/i.test(reply.head);
    reply.left = isChunked ? undefined : Number(/\r\ncontent-length: *(\d+)/i.exec(reply.head)?.[1] ?? 0);
    bytes = held.subarray(end + END.length);
  }
  reply.tail = (reply.tail + bytes.toString("latin1", Math.max(0, bytes.length - 300))).slice(-300);
  if (reply.left === undefined) return reply.tail.endsWith(LAST_CHUNK);
  reply.left -= bytes.length;
  return reply.left <= 0;
}
