import { MessageChannel } from "node:worker_threads";

/** Drops the buffers that are transferred to it, since nobody receives them. */
const { port1: CLOSED_PORT } = new MessageChannel();
CLOSED_PORT.close();

/**
 * Frees the memory of these bytes now, unless they are part of a larger buffer. Nobody may use them again. The garbage collector
 * would spend as much time on received bodies as all other work on them takes, hashing aside, and frees large buffers late.
 */
export function freeMemory({ buffer, byteLength }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength)
    CLOSED_PORT.postMessage(undefined, [buffer]);
}
