// Sends one request repeatedly over keep-alive connections, in a separate process, so that no work of
// the client is counted as the server's. Prints requests per second and latencies as one line of JSON.
import { connect } from "node:net";

const { origin, method, path, headers, body, connections, ms, count } = JSON.parse(process.argv[2]);
const { hostname, port } = new URL(origin);
const text = body === undefined ? "" : JSON.stringify(body);
const REQUEST = Buffer.from(
  [
    `${method} ${path} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(text === "" ? [] : [`content-length: ${Buffer.byteLength(text)}`]),
    "",
    text,
  ].join("\r\n"),
);
const END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

const latencies = [];
let failed = 0;
let bytes = 0;
let sent = 0;
const began = performance.now();
const until = ms === undefined ? Number.POSITIVE_INFINITY : began + ms;
await Promise.all(Array.from({ length: connections }, client));
const seconds = (performance.now() - began) / 1000;
latencies.sort((a, b) => a - b);
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
console.log(
  JSON.stringify({
    requests: latencies.length,
    failed,
    perSecond: latencies.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    bytes: bytes / latencies.length,
  }),
);

/** One connection: the next request goes out when the reply to the last one is whole. */
function client() {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let held = Buffer.alloc(0);
    let asked = 0;
    const ask = () => {
      if (performance.now() >= until || sent >= (count ?? Number.POSITIVE_INFINITY)) {
        socket.end();
        return resolve();
      }
      sent += 1;
      asked = performance.now();
      socket.write(REQUEST);
    };
    socket.once("connect", ask);
    socket.once("error", reject);
    socket.on("data", (chunk) => {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const whole = replyIn(held);
      if (!whole) return;
      latencies.push(performance.now() - asked);
      if (!whole.ok) failed += 1;
      bytes += whole.bytes;
      held = Buffer.alloc(0);
      ask();
    });
  });
}

/** The complete reply in the buffer, by its length or its last chunk. */
function replyIn(held) {
  const end = held.indexOf(END);
  if (end === -1) return undefined;
  const head = held.toString("latin1", 0, end).toLowerCase();
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  const bytes = held.length - end - END.length;
  const isWhole =
    length === undefined ? held.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) : bytes >= Number(length);
  return isWhole ? { ok: /^http\/1\.1 2/.test(head), bytes } : undefined;
}
