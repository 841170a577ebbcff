import { request as requestPlainly } from "node:http";
import { request as requestSecurely } from "node:https";
import { Readable } from "node:stream";
import type { SnapshotTransport } from "../../emulator/runtime/library/snapshot-files.ts";

/** Streams files; `fetch` would hold most of them in memory. `onBytes` receives the size of each chunk, in both directions. */
export function transportTo(
  url: string,
  {
    signal,
    onBytes = () => {},
  }: { readonly signal?: AbortSignal; readonly onBytes?: (bytes: number) => void } = {},
): SnapshotTransport {
  return (method, path, chunks) =>
    new Promise((resolve, reject) => {
      const body = Readable.from(counting(chunks ?? [], onBytes));
      const request = url.startsWith("https:") ? requestSecurely : requestPlainly;
      const sending = request(url + path, { method, ...(signal && { signal }) }, (response) => {
        resolve({
          status: response.statusCode ?? 0,
          ok: (response.statusCode ?? 0) < 400,
          leftOut: String(response.headers["x-emulator-left-out"] ?? ""),
          chunks: readBy(counting(response, onBytes), () => {
            // A reply before the whole body was sent is a refusal: stop sending.
            body.destroy();
            sending.destroy();
          }),
        });
      });
      sending.on("error", reject);
      // Without an error after `101`, for example.
      sending.on("close", () => reject(new Error("the connection was closed without a reply")));
      body.on("error", reject);
      body.pipe(sending);
    });
}

async function* counting(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    onBytes(chunk.length);
    yield chunk;
  }
}

async function* readBy(response: AsyncIterable<Uint8Array>, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* response;
  } finally {
    end();
  }
}
