import { type IncomingMessage, request as requestPlainly } from "node:http";
import { request as requestSecurely } from "node:https";
import { Readable } from "node:stream";
import type { SnapshotTransport } from "../../emulator/runtime/library/snapshot-files.ts";

/** Streams files; `fetch` would hold most of them in memory. */
export function transportTo(url: string): SnapshotTransport {
  return (method, path, chunks) =>
    new Promise((resolve, reject) => {
      const body = Readable.from(chunks ?? []);
      const request = url.startsWith("https:") ? requestSecurely : requestPlainly;
      const sending = request(url + path, { method }, (response) => {
        resolve({
          status: response.statusCode ?? 0,
          ok: (response.statusCode ?? 0) < 400,
          leftOut: String(response.headers["x-emulator-left-out"] ?? ""),
          chunks: readBy(response, () => {
            // A reply before the whole body was sent is a refusal: stop sending.
            body.destroy();
            sending.destroy();
          }),
        });
      });
      sending.on("error", reject);
      body.on("error", reject);
      body.pipe(sending);
    });
}

async function* readBy(response: IncomingMessage, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* response;
  } finally {
    end();
  }
}
