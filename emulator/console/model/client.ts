import { signal } from "@preact/signals";
import { createControlClient } from "../../client/control-client.ts";
import { type ClientRequest, sendTo } from "../../client/send.ts";
import { token } from "./token.ts";
import { worldUrl } from "./world-address.ts";

/** The turn whose state every view shows; null for the current state. */
export const asOf = signal<number | null>(null);

const AS_OF_HEADER = "x-emulator-as-of";
const TOKEN_HEADER = "x-emulator-console-token";
const send = sendTo(worldUrl);

/** Sends a request to this world, as of the visible turn. */
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
export const client = createControlClient(sendHere);

/** The control API as of now: for the clock, and for views without history. */
export const present = createControlClient(send);
