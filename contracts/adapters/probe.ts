import { isMembers, jsonOf } from "../json.ts";
import type { Send } from "../target.ts";
import type { Addresses } from "./address-target.ts";
import { Unreachable } from "./send.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const JSON_TYPE = { "content-type": "application/json" };

const PLATFORM_PATHS = [
  ["GET", "/api/v1/bulk-exports"],
  ["GET", "/api/v1/bulk-exports/destinations"],
  ["POST", "/api/v1/runs/query"],
] as const;

const AGENT_PATHS = [
  ["POST", "/assistants/search"],
  ["POST", "/threads/search"],
] as const;

/** Parts of the service that a server has. */
export interface Parts {
  readonly platform: boolean;
  readonly agent: boolean;
}

/** What a server on this machine is, found out by asking; without an address of its own there is no platform. */
export async function partsAt({ url }: Addresses, send: Send): Promise<Parts> {
  if (url === undefined) return { platform: false, agent: false };
  const [platform, agent] = await Promise.all([isKnown(send, PLATFORM_PATHS), isKnown(send, AGENT_PATHS)]);
  return { platform, agent };
}

/** A server that lacks one path of a part may be at fault; one that lacks all of them is another server. */
async function isKnown(send: Send, routes: readonly (readonly [method: string, path: string])[]) {
  const statuses = routes.map(async ([method, path]) => {
    const body = method === "POST" ? { body: "{}" } : {};
    const { status } = await send({ region: "us", method, path, headers: JSON_TYPE, ...body });
    return status;
  });
  return (await Promise.all(statuses)).some((status) => status !== 404);
}

/** The id of the assistant that the caller names. */
export async function assistantAt({ assistant, apiKey }: Addresses, send: Send): Promise<string | undefined> {
  if (assistant === undefined || UUID.test(assistant)) return assistant;
  const headers = { ...JSON_TYPE, ...(apiKey !== undefined && { "x-api-key": apiKey }) };
  const body = JSON.stringify({ limit: 100, offset: 0 });
  const path = "/assistants/search";
  const { status, text } = await send({ region: "us", method: "POST", path, headers, body });
  const list = status < 300 ? jsonOf(text) : undefined;
  const known = Array.isArray(list) ? list.filter(isMembers) : [];
  const found = known.find(({ graph_id, name }) => graph_id === assistant || name === assistant);
  if (typeof found?.assistant_id === "string") return found.assistant_id;
  const names = known.map(({ graph_id }) => graph_id).join(", ");
  throw new Unreachable(
    `no assistant is called ${assistant}; the server has ${names || "none that it shows"}`,
  );
}
