import { MessageChannel } from "node:worker_threads";

/** Takes along what it is given, since nobody receives it. */
const CLOSED = closedPort();

function closedPort() {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}

/**
 * Gives the memory of these bytes back now, unless they are a part of a larger buffer: nobody may use them again. Left to the
 * garbage collector, what many bodies came in would keep that busy for as long as all else that is done with a body but its hash.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength)
    CLOSED.postMessage(undefined, [buffer]);
}
