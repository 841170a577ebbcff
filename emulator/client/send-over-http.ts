import { wholeReply } from "../../contracts/targets/outgoing.ts";
import { type ClientRequest, NoReply, type Send } from "./send.ts";

/** An advance of the clock and a reset take long in a large world. */
const REPLY_TIMEOUT_MS = 10 * 60_000;
/** Of the text of a reply: about the longest that Node has. */
const MAX_REPLY_BYTES = 500_000_000;

/** Sends without `fetch`, which takes Node as long to load as all else that most commands do. Throws `NoReply`. */
export function sendOverHttp(url: string, timeoutMs?: number): Send {
  return async (path, request) => {
    const { status, headers, text } = await replyOverHttp(url, path, request, timeoutMs);
    return {
      status,
      headers: { get: (name) => headers[name.toLowerCase()] ?? null },
      text: async () => text,
    };
  };
}

/** The same with all headers and the text. */
export async function replyOverHttp(
  address: string,
  path: string,
  request: ClientRequest,
  replyMs = REPLY_TIMEOUT_MS,
) {
  const url = new URL(address);
  const bounds = { replyMs, replyBytes: () => MAX_REPLY_BYTES };
  try {
    const call = { ...request, url, path: url.pathname.replace(/\/$/, "") + path, bounds };
    const { status, headers, body } = await wholeReply(call);
    return { status, headers, text: body.toString("utf8") };
  } catch (error) {
    // A `TypeError`: Node refuses to send the request.
    throw error instanceof TypeError ? error : new NoReply(address);
  }
}
