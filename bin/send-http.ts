import { request as plain, validateHeaderValue } from "node:http";
import { text } from "node:stream/consumers";
import { type ClientReply, NoReply, type Send } from "../emulator/client/send.ts";
import { UsageError } from "./command.ts";

/**
 * Sends to a server as `sendTo` does, without `fetch`: to load that takes Node as long as all else that most commands do. Throws `NoReply`
 * when no whole reply comes within `timeoutMs`, and `UsageError` for a header that cannot be sent.
 */
export function sendOverHttp(url: string, timeoutMs: number): Send {
  return async (path, { method, headers, body }) => {
    const request = url.startsWith("https:") ? (await import("node:https")).request : plain;
    const signal = AbortSignal.timeout(timeoutMs);
    for (const [name, value] of Object.entries(headers)) requireSendable(name, value);
    return new Promise<ClientReply>((resolve, reject) => {
      const fail = () => reject(new NoReply(url));
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      request(url + path, { method, headers: { ...headers, ...length }, signal }, (reply) => {
        const header = (name: string) => reply.headers[name.toLowerCase()];
        text(reply).then((whole) => {
          resolve({
            status: reply.statusCode ?? 0,
            headers: { get: (name) => header(name)?.toString() ?? null },
            text: async () => whole,
          });
        }, fail);
      })
        .once("error", fail)
        .end(body);
    });
  };
}

function requireSendable(name: string, value: string): void {
  try {
    validateHeaderValue(name, value);
  } catch {
    throw new UsageError(`the header ${name} cannot have the value ${JSON.stringify(value)}`);
  }
}
