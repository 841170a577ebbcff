import { type HttpHandler, http } from "msw";
import type { Emulator } from "../runtime/index.ts";

/** The base addresses that the program under test calls, for example `https://api.example.com`. */
export interface Addresses {
  readonly us?: string | readonly string[];
  readonly eu?: string | readonly string[];
}

/**
 * Handlers that answer every request to these addresses from an emulator in this process, or from a forked
 * world of one, without a port. Streams are delivered incrementally.
 *
 * @example
 * setupServer(...emulatorHandlers(emulator, "https://api.example.com")).listen();
 */
export function emulatorHandlers(
  emulator: Pick<Emulator, "request">,
  addresses: string | Addresses,
): readonly HttpHandler[] {
  const { us = [], eu = [] } = typeof addresses === "string" ? { us: addresses } : addresses;
  return [
    ...[us].flat().map((address) => handlerFor(emulator, address, "us")),
    ...[eu].flat().map((address) => handlerFor(emulator, address, "eu")),
  ];
}

function handlerFor(emulator: Pick<Emulator, "request">, address: string, region: "us" | "eu"): HttpHandler {
  const base = new URL(address);
  const prefix = base.pathname.replace(/\/$/, "");
  const below = new RegExp(`^${literally(base.origin + prefix)}(/|$)`);
  return http.all(below, async ({ request }) => {
    const { pathname, search, origin } = new URL(request.url);
    const target = new URL(`${pathname.slice(prefix.length) || "/"}${search}`, origin);
    const reply = await emulator.request(new Request(target, request), { region });
    for (const name of ["location", "content-location"]) {
      const path = reply.headers.get(name);
      if (path?.startsWith("/")) reply.headers.set(name, prefix + path);
    }
    return reply;
  });
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
