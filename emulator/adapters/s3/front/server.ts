import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { S3Listener } from "./front.ts";

export interface S3Server {
  readonly port: number;
  /** Ends the connections too. */
  close(): Promise<void>;
}

/** Keys of 1024 bytes are three times as long when encoded, and presigned requests carry much besides. */
const MAX_HEADER_BYTES = 32 * 1024;
const MAX_CONNECTIONS = 1024;
/** An upload of 5 GiB may take its time, but not for ever. */
const REQUEST_TIMEOUT_MS = 6 * 3600 * 1000;
const HEADERS_TIMEOUT_MS = 60 * 1000;
const IDLE_TIMEOUT_MS = 2 * 60 * 1000;

/** Listens on a port (0 for a free one) with bounds on everything that a client decides. */
export async function openS3Server(listener: S3Listener, address: { host: string; port: number }): Promise<S3Server> {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
    },
    listener,
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = IDLE_TIMEOUT_MS;
  server.on("clientError", (_error, socket) => {
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address.port, address.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
