import type { Emulator } from "../../emulator/runtime/index.ts";
import { HEADERS, type Rig } from "./emulator.ts";

/** The calls of a rig, in another world. */
export function inWorld(world: Emulator): Rig {
  return {
    emulator: world,
    async call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const reply = await world.request(path, {
        method,
        headers: { ...HEADERS, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      return {
        status: reply.status,
        body: (text ? JSON.parse(text) : undefined) as T,
        header: (name: string) => reply.headers.get(name) ?? undefined,
      };
    },
    close: () => world.close(),
  };
}
