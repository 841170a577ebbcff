import type { Send } from "../engine/http-message.ts";
import { isMembers, jsonOf } from "../engine/json.ts";
import type { Need } from "../engine/needs.ts";
import type { Surface } from "../engine/surface.ts";
import { VERSION_GATES } from "../spec/versions.ts";
import type { Addresses } from "./addresses.ts";
import { Unreachable } from "./send.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const JSON_TYPE = { "content-type": "application/json" };

const SOME_THREAD = "5eed0000-0000-4000-8000-00000c0417ad";

/** One of them shows that a server is one of this API; what changes nothing is asked first. */
const PROBES: readonly (readonly [method: string, path: string])[] = [
  ["GET", "/api/v1/bulk-exports"],
  ["POST", "/assistants/search"],
  ["GET", `/threads/${SOME_THREAD}/runs`],
  ["GET", `/api/v1/bulk-exports/${SOME_THREAD}`],
  ["GET", `/api/v1/bulk-exports/${SOME_THREAD}/runs`],
  ["GET", "/api/v1/bulk-exports/destinations"],
  ["POST", "/threads/search"],
  ["POST", "/api/v1/runs/query"],
  ["POST", "/api/v1/bulk-exports"],
  ["POST", "/api/v1/bulk-exports/destinations"],
  ["POST", "/runs/stream"],
  ["POST", "/threads"],
];

/** Throws `Unreachable` when a server has no operation of this API. */
export async function requireKnownServer(
  { url, agentUrl }: Addresses,
  send: Send,
  surface: Surface,
): Promise<void> {
  if (url === undefined || agentUrl !== undefined) return;
  for (const [method, path] of PROBES) {
    const body = method === "POST" ? { body: "{}" } : {};
    const request = { region: "us", method, path, headers: JSON_TYPE, ...body } as const;
    const reply = await send(request);
    // Object stores and web servers answer any path, but with XML or HTML.
    if (/xml|html/.test(reply.headers["content-type"] ?? "")) continue;
    if ((await surface.absentAfter(request, reply)) === undefined) return;
  }
  throw new Unreachable(`${url} does not respond to any path of this API; check the address`);
}

const WORKSPACE = "5eed0000-0000-4000-8000-00000c0417ac";

/** Whether the server accepts an unknown workspace id. */
export async function acceptsAnyTenant(options: Addresses, send: Send): Promise<boolean> {
  const status = await probeReply({ ...options, tenantId: WORKSPACE }, send);
  return status !== 401 && status !== 403;
}

/** Throws `Unreachable` when the key or the workspace is refused: every case would fail. */
export async function requireAccess(
  options: Addresses,
  usual: string | undefined,
  send: Send,
): Promise<void> {
  const { url, apiKey, tenantId = usual } = options;
  const status = await probeReply({ ...options, tenantId }, send);
  if (status === 401)
    throw new Unreachable(
      apiKey === undefined
        ? `${url} requires a key (401); give a valid key with --api-key`
        : `${url} refuses the key (401); give a valid key with --api-key`,
    );
  if (status === 403)
    throw new Unreachable(
      tenantId === undefined
        ? `${url} refuses generated workspace ids for this key (403); give a workspace of the key with --tenant-id`
        : `${url} refuses the workspace ${tenantId} for this key (403); give a workspace of the key with --tenant-id`,
    );
}

/** Status of the reply to a list of exports. */
async function probeReply({ apiKey, tenantId = WORKSPACE }: Addresses, send: Send): Promise<number> {
  const headers = { "x-api-key": apiKey ?? "contract-greeting", "x-tenant-id": tenantId };
  return (await send({ region: "us", method: "GET", path: "/api/v1/bulk-exports", headers })).status;
}

const SINCE = {
  schedules: VERSION_GATES.scheduled_exports.service,
  columns: VERSION_GATES.export_fields.service,
} as const satisfies Partial<Record<Need, string>>;

/** Needs that depend on the version of the server. */
export const VERSIONED = Object.keys(SINCE) as readonly (keyof typeof SINCE)[];

/** Version-dependent needs that the server meets by the version in /info. */
export async function detectVersionedFeatures({ apiKey }: Addresses, send: Send): Promise<readonly Need[]> {
  const headers = { ...(apiKey !== undefined && { "x-api-key": apiKey }) };
  const { status, text } = await send({ region: "us", method: "GET", path: "/info", headers });
  const body = status === 200 ? jsonOf(text) : undefined;
  const version = isMembers(body) && typeof body.version === "string" ? body.version : undefined;
  if (version === undefined || !/^\d+(\.\d+)+$/.test(version)) return VERSIONED;
  return VERSIONED.filter((need) => version.localeCompare(SINCE[need], "en", { numeric: true }) >= 0);
}

/** The id of the named assistant. Throws `Unreachable` when there is none. */
export async function findAssistant(
  { assistant, apiKey }: Addresses,
  send: Send,
): Promise<string | undefined> {
  if (assistant === undefined || UUID.test(assistant)) return assistant;
  const headers = { ...JSON_TYPE, ...(apiKey !== undefined && { "x-api-key": apiKey }) };
  const body = JSON.stringify({ limit: 100, offset: 0 });
  const path = "/assistants/search";
  const { status, text } = await send({ region: "us", method: "POST", path, headers, body });
  const list = status < 300 ? jsonOf(text) : undefined;
  const assistants = Array.isArray(list) ? list.filter(isMembers) : [];
  const match = assistants.find(({ graph_id, name }) => graph_id === assistant || name === assistant);
  if (typeof match?.assistant_id === "string") return match.assistant_id;
  const names = assistants.map(({ graph_id }) => graph_id).join(", ");
  throw new Unreachable(`no assistant is named ${assistant}; the server lists ${names || "no assistants"}`);
}
