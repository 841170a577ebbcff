import { Client as Client1 } from "langgraph-sdk-1";
import { Client as Client2 } from "langgraph-sdk-2";
import type { EmulatorOptions } from "../../emulator/runtime/index.ts";
import { HEADERS, type Rig, startRig } from "../support/emulator.ts";

/** Where the clients are sent: each has to find everything by this one address. */
export const TRANSPORTS = ["in the world main", "in a forked world, by its base path"] as const;

export type Transport = (typeof TRANSPORTS)[number];

/** The unmodified clients of both lines, each over one of the transports. */
export const AGENT_CLIENTS = [
  ["1.15.0", TRANSPORTS[0], Client1],
  ["2.0.0", TRANSPORTS[1], Client2],
] as const;

/** An emulator on a clock that stands still, or a world of one; closing it closes all of it. */
export async function startOver(transport: Transport, options: EmulatorOptions = {}): Promise<Rig> {
  const rig = await startRig(options);
  if (transport === "in the world main") return rig;
  const emulator = await rig.emulator.fork();
  return {
    emulator,
    async call(method, path, body, headers = {}) {
      const reply = await fetch(emulator.url + path, {
        method,
        headers: { ...HEADERS, ...headers },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await reply.text();
      return {
        status: reply.status,
        header: (name) => reply.headers.get(name) ?? undefined,
        body: text ? JSON.parse(text) : undefined,
      };
    },
    async close() {
      const traces = await rig.emulator.control<{ traces: { rows: number } }>("GET", "/status");
      const threads = await (await rig.emulator.request("/threads/count", { json: {} })).json();
      await rig.close();
      if (traces.traces.rows !== 0 || threads !== 0)
        throw new Error("what was meant for the forked world has come to the world main");
    },
  };
}
