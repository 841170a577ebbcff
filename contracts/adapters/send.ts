import type { Region, Send } from "../target.ts";

const PATIENCE_MS = 60_000;

/** Sends over the network; a server that cannot be reached is the caller's to explain. */
export function createSend(addresses: Readonly<Partial<Record<Region, string>>>, agentUrl?: string): Send {
  return async ({ region, method, path, headers, body }) => {
    const base = agentUrl !== undefined && isAgentPath(path) ? agentUrl : addresses[region];
    if (base === undefined) throw new Unreachable(`no address in the ${region} region is given`);
    try {
      const reply = await fetch(base + path, {
        method,
        headers,
        redirect: "manual",
        signal: AbortSignal.timeout(PATIENCE_MS),
        ...(body !== undefined && { body }),
      });
      return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
    } catch (error) {
      const { message, cause } = error as Error;
      const why = cause instanceof Error && cause.message ? cause.message : message;
      throw new Unreachable(`${method} ${base}${path.replace(/\?.*$/, "")}: ${why}`);
    }
  };
}

/** No reply came. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** Paths of the agent server, where it has an address of its own. */
function isAgentPath(path: string): boolean {
  return /^\/(threads?|assistants|runs\/(crons|stream|wait|cancel)|info$)/.test(path);
}
