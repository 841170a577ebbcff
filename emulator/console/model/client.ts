import { signal } from "@preact/signals";
import { parseExact } from "../../../contracts/spec/exact-json.ts";
import { createControlClient } from "../../client/control-client.ts";
import { type ClientReply, type ClientRequest, NoReply } from "../../client/send.ts";
import { token } from "./token.ts";
import { pathOf, worldUrl } from "./world-address.ts";

/** The turn whose state every view shows; null for the current state. */
export const asOf = signal<number | null>(null);

const AS_OF_HEADER = "x-emulator-as-of";
const TOKEN_HEADER = "x-emulator-console-token";

/** The address that a path is relative to: those of another world begin with `/w/`. */
export function baseOf(path: string): string {
  return path.startsWith("/w/") ? window.location.origin : worldUrl;
}

/** Sends a request as of now. */
async function send(path: string, request: ClientRequest): Promise<ClientReply> {
  const headers = request.method === "GET" ? {} : pageHeaders(request.method);
  const base = baseOf(path);
  try {
    const reply = await fetch(base + path, { ...request, headers: { ...headers, ...request.headers } });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, text: async () => text };
  } catch (error) {
    throw error instanceof TypeError ? new NoReply(base) : error;
  }
}

/** Sends a request to this world, as of the visible turn, or to another world. */
export function sendHere(path: string, request: ClientRequest) {
  return send(path, { ...request, headers: { ...pageHeaders(request.method), ...request.headers } });
}

/** The headers that the page adds to its requests. */
export function pageHeaders(method: string): Record<string, string> {
  return {
    ...(method === "GET" && asOf.value !== null && { [AS_OF_HEADER]: String(asOf.value) }),
    ...(method !== "GET" && token !== null && { [TOKEN_HEADER]: token }),
  };
}

/** The control API of this world, as of the visible turn. All data of the console is from it. */
export const client = createControlClient(sendHere, parseExact);

/** The control API as of now: for the clock, and for views without history. */
export const present = createControlClient(send, parseExact);

/** The control API of another world of this process, as of now. */
export function clientOf(world: string) {
  return createControlClient((path, request) => send(pathOf(world) + path, request), parseExact);
}
