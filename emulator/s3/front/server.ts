import type { Server } from "node:http";
import { createHttpServer } from "../../http/server/node-http.ts";
import type { S3Listener } from "./front.ts";

/** An encoded key may have three times 1024 bytes, and presigned requests have several other parameters. */
const MAX_HEADER_BYTES = 32 * 1024;
const MAX_CONNECTIONS = 1024;
/** An upload of 5 GiB takes long. */
const REQUEST_TIMEOUT_MS = 6 * 3600 * 1000;
const HEADERS_TIMEOUT_MS = 60 * 1000;

/** Creates a server that is not listening yet, with limits for everything that a client controls. */
export function createS3Server(maxHeaders: number, listener: S3Listener): Server {
  const options = {
    maxHeaders,
    tooManyHeaders: (message: string) => ({
      type: "application/xml",
      body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>RequestHeaderSectionTooLarge</Code><Message>${message}</Message></Error>`,
    }),
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
  };
  const server = createHttpServer(options, listener);
  server.maxConnections = MAX_CONNECTIONS;
  server.on("clientError", (_error, socket) => {
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    else socket.destroy();
  });
  return server;
}
