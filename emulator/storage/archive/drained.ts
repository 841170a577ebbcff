import { once } from "node:events";

/** Settles when a stream accepts more data, or was closed. */
export async function drained(stream: NodeJS.WritableStream): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  await Promise.race([once(stream, "drain", { signal }), once(stream, "close", { signal })]).finally(() =>
    stop.abort(),
  );
}
