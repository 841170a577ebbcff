import type { Server } from "node:http";
import { createServer } from "../../http/server/node-http.ts";
import type { S3Listener } from "./front.ts";

/** Keys of 1024 bytes are three times as long when encoded, and presigned requests carry much besides. */
const MAX_HEADER_BYTES = 32 * 1024;
const MAX_CONNECTIONS = 1024;
/** An upload of 5 GiB may take its time, but not for ever. */
const REQUEST_TIMEOUT_MS = 6 * 3600 * 1000;
const HEADERS_TIMEOUT_MS = 60 * 1000;

/** A server, not yet listening, with bounds on everything that a client decides. */
export function createS3Server(listener: S3Listener): Server {
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
  };
  const server = createServer(limits, listener);
  server.maxConnections = MAX_CONNECTIONS;
  // An expectation that HTTP does not know is passed over, where Node would answer 417 without a document.
  server.on("checkExpectation", listener);
  server.on("clientError", (_error, socket) => {
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    else socket.destroy();
  });
  return server;
}
