import { connect } from "node:net";
import type { RandomSource } from "../../../contracts/engine/random.ts";
import { startCli } from "../../support/cli.ts";
import { HEADERS } from "../../support/emulator.ts";
import { createSender, sendAll } from "../requests.ts";
import { soakPart } from "../soak.ts";

// Bytes that are nearly HTTP, on all ports: each connection ends, none gets a 5xx, and the next request is answered.

const LANES = 32;
const BATCH = 1000;
const PATIENCE_MS = 15_000;
const LINES = [
  "GET /ok",
  "POST /runs/batch",
  "PUT /traces/key",
  "HEAD /",
  "OPTIONS *",
  "DELETE /threads/x",
  "BREW /",
];
const VERSIONS = [" HTTP/1.1", " HTTP/1.0", " HTTP/2.0", "", " HTTP/1.1\r", " HTTPS/1.1"];
const HEADER_LINES = [
  "Host: 127.0.0.1",
  "Host: evil.example",
  "Host:",
  "X-Api-Key: emulator-key",
  "Content-Type: application/json",
  "Content-Length: 3",
  "Content-Length: -1",
  "Content-Length: 99999999999999999999",
  "Content-Length: 1e3",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: gzip, chunked",
  "Content-Encoding: gzip",
  "Content-Encoding: zstd",
  "Expect: 100-continue",
  "Expect: pigs",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Range: bytes=9-1",
  ": no name",
  "No-Colon",
  "X-Null: \u0000",
  " folded: yes",
  "X-Emulator-World: ../..",
  "Authorization: AWS4-HMAC-SHA256 Credential=/,Signature=",
];
const BODIES = [
  "",
  "{}",
  "3\r\n{}\n\r\n0\r\n\r\n",
  "zz\r\n",
  "ffffffffffffffff\r\n",
  "\u0000\u0001",
  "5;ext=1\r\nab",
  "[".repeat(5000),
];
const ENDS = ["\r\n", "\r\n", "\r\n", "\n", "\r", ""];

function brokenRequest({ integer }: RandomSource): Buffer {
  const pick = (from: readonly string[]) => from[integer(from.length)] ?? "";
  const end = pick(ENDS);
  const headers = Array.from({ length: integer(7) }, () => pick(HEADER_LINES));
  if (integer(20) === 0) headers.push(`X-Long: ${"x".repeat(integer(80_000))}`);
  const text = [pick(LINES) + pick(VERSIONS), ...headers, "", pick(BODIES)].join(end);
  const bytes = Buffer.from(text, "latin1");
  // Some bytes are others, and some do not come.
  for (let count = integer(4); count > 0 && bytes.length > 0; count -= 1)
    bytes[integer(bytes.length)] = integer(256);
  return integer(3) === 0 ? bytes.subarray(0, integer(bytes.length + 1)) : bytes;
}

/** What the server says until the connection ends; undefined when it never does. */
function exchange(port: number, bytes: Buffer, isCut: boolean): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => {
      if (isCut) socket.write(bytes, () => socket.destroy());
      else socket.end(bytes);
    });
    socket.setTimeout(PATIENCE_MS, () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.setEncoding("latin1").on("data", (piece) => {
      text += piece;
    });
    socket.on("error", () => resolve(text)).on("close", () => resolve(text));
  });
}

await soakPart(["connections", "answered"], async (soak) => {
  const cli = await startCli("--data", soak.folder);
  const { url, eu_url, s3_url } = cli.ready;
  const ports = [url, eu_url, s3_url].map((each) => Number(new URL(each).port));
  const { send, close } = createSender(url, 1);
  while (soak.goesOn()) {
    const batch = Array.from({ length: BATCH }, () => ({
      port: ports[soak.random.integer(ports.length)] as number,
      bytes: brokenRequest(soak.random),
      isCut: soak.random.integer(10) === 0,
    }));
    await sendAll(LANES, batch.values(), async ({ port, bytes, isCut }) => {
      if (!soak.goesOn()) return;
      const text = await exchange(port, bytes, isCut);
      soak.count("connections");
      if (text) soak.count("answered");
      const output = JSON.stringify(bytes.toString("latin1").slice(0, 500));
      if (text === undefined) soak.find(`port ${port}: a connection was not ended for ${output}`);
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text ?? "")?.[1] ?? 0);
      if (status >= 500 && status !== 501) soak.find(`port ${port}: ${text?.slice(0, 300)} for ${output}`);
    });
    const { status } = await send({ method: "GET", path: "/ok", headers: HEADERS });
    if (status !== 200) soak.find(`GET /ok was answered with ${status} afterwards`);
  }
  close();
  const { code } = await cli.end("SIGTERM");
  if (code !== 0) soak.find(`it was stopped with ${code}`);
});
