import { isDeepStrictEqual } from "node:util";
import { CaseEnded, Lacking } from "../engine/contract.ts";
import type { Send, WireReply } from "../engine/http-message.ts";
import { HOUR, instantOf, iso, MINUTE } from "../engine/instant.ts";
import { isMembers, jsonOf, type Members } from "../engine/json.ts";
import type { CaseSettings } from "../engine/needs.ts";
import type { Identity, TargetClock } from "../engine/target.ts";
import { createSender, Unreachable } from "./send.ts";

/** The three routes with which a server without our control API is moved in time, restarted and emptied. */
export interface Adapter {
  /** Absent where the adapter does not have the route. */
  readonly clock?: TargetClock;
  readonly canRestart: boolean;
  readonly canReset: boolean;
  /** Starts the server with these settings where it runs with others, and empties it. Throws `Lacking`. */
  prepare(settings?: CaseSettings): Promise<void>;
  close(): void;
}

/** How far the server's times may be from its clock, which may be running. */
const TOLERANCE_MS = MINUTE;
const ABSENT = [404, 405, 501];
const REFUSED_START = 422;

type Ask = (method: "GET" | "POST", path: string, body?: Members) => Promise<WireReply>;

/** Opens an adapter and checks that its routes do what they say. Throws `Unreachable`. */
export async function openAdapter(url: string, send: Send, identity: Identity): Promise<Adapter> {
  const sender = createSender({ us: url });
  const ask: Ask = (method, path, body) =>
    sender.send({
      ...{ region: "us", method, path, headers: { "content-type": "application/json" } },
      ...(body && { body: JSON.stringify(body) }),
    });
  try {
    const clock = ABSENT.includes((await ask("GET", "/clock")).status) ? undefined : clockOf(url, ask);
    const canReset = await does(url, ask, "/reset", {});
    const canRestart = await does(url, ask, "/restart", { settings: {} }, " without settings");
    if (!clock && !canReset && !canRestart)
      throw new Unreachable(`${url} has none of the routes of an adapter: /clock, /restart, /reset`);
    await verify(url, clock, canReset ? () => ask("POST", "/reset", {}) : undefined, send, identity);
    let current: CaseSettings = {};
    return {
      clock,
      canReset,
      canRestart,
      async prepare(settings = {}) {
        if (canRestart && !isDeepStrictEqual(settings, current)) {
          // After a failed start nobody knows what the server runs with.
          current = { unknown: true };
          await restart(ask, settings, send);
          current = settings;
        }
        if (canReset) await does(url, ask, "/reset", {});
      },
      close: () => sender.close(),
    };
  } catch (error) {
    sender.close();
    throw error;
  }
}

function clockOf(url: string, ask: Ask): TargetClock {
  const read = (reply: WireReply): number => {
    const { now } = membersOf(reply);
    const instant = instantOf(now);
    if (reply.status === 200 && !Number.isNaN(instant)) return instant;
    throw new Unreachable(
      `${url}/clock answered ${reply.status} ${reply.text.slice(0, 100)}; it must answer {"now": "<time>"}`,
    );
  };
  const currentTime = async () => read(await ask("GET", "/clock"));
  return {
    now: currentTime,
    async advanceTo(instant) {
      read(await ask("POST", "/clock", { now: iso(instant) }));
      const now = await currentTime();
      if (now < instant)
        throw new Unreachable(`${url}/clock was moved to ${iso(instant)}, but stands at ${iso(now)}`);
    },
  };
}

/** Whether the adapter has a route, which is then called. */
async function does(url: string, ask: Ask, path: string, body: Members, when = ""): Promise<boolean> {
  const { status } = await ask("POST", path, body);
  if (ABSENT.includes(status)) return false;
  if (status >= 300) throw new Unreachable(`${url}${path} answered ${status}${when}; it must answer 200`);
  return true;
}

/** Settings that the adapter does not confirm are not tested: an unchanged server would pass or fail for no reason. */
async function restart(ask: Ask, settings: CaseSettings, send: Send): Promise<void> {
  const reply = await ask("POST", "/restart", { settings });
  const { settings: applied, message } = membersOf(reply);
  if (reply.status === REFUSED_START) throw new CaseEnded(String(message ?? reply.text));
  if (reply.status !== 200)
    throw new Lacking(`a restart with other settings: the adapter answered ${reply.status}`);
  const missing = Object.keys(settings).filter(
    (name) => !isDeepStrictEqual(isMembers(applied) ? applied[name] : undefined, settings[name]),
  );
  if (missing.length > 0)
    throw new Lacking(`a restart with ${missing.join(", ")}, which the adapter does not apply`);
  await verifyVersion(settings, send);
}

/** A server that reports its version must report the one that it was started with. */
async function verifyVersion({ versions }: CaseSettings, send: Send): Promise<void> {
  const { service } = isMembers(versions) ? versions : {};
  if (typeof service !== "string") return;
  const { version } = membersOf(await send({ region: "us", method: "GET", path: "/info", headers: {} }));
  if (typeof version === "string" && version !== service)
    throw new Lacking(`a restart with the version ${service}; GET /info still reports ${version}`);
}

/** What shows that the clock is the server's: something that it creates and stamps. */
async function createStamped(send: Send, identity: Identity): Promise<Stamped | undefined> {
  const { apiKey, tenantId, destinationId, sessionId, headers: always = {} } = identity;
  const headers = {
    "x-api-key": apiKey,
    "x-tenant-id": tenantId,
    "content-type": "application/json",
    ...always,
  };
  const order = {
    ...{ bulk_export_destination_id: destinationId, session_id: sessionId },
    ...{ start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-02T00:00:00Z" },
  };
  for (const [path, body, member] of [
    ["/threads", {}, "thread_id"],
    ["/api/v1/bulk-exports", order, "id"],
  ] as const) {
    const reply = await send({ region: "us", method: "POST", path, headers, body: JSON.stringify(body) });
    const { created_at, [member]: id } = membersOf(reply);
    if (reply.status >= 300 || Number.isNaN(instantOf(created_at)) || typeof id !== "string") continue;
    const exists = async () =>
      (await send({ region: "us", method: "GET", path: `${path}/${id}`, headers })).status < 300;
    return { what: `POST ${path}`, createdAt: instantOf(created_at), exists };
  }
  return undefined;
}

interface Stamped {
  readonly what: string;
  readonly createdAt: number;
  exists(): Promise<boolean>;
}

/** Throws `Unreachable` when the server does not follow the clock, or has something after a reset. */
async function verify(
  url: string,
  clock: TargetClock | undefined,
  reset: (() => Promise<unknown>) | undefined,
  send: Send,
  identity: Identity,
): Promise<void> {
  if (!clock && !reset) return;
  if (clock) await clock.advanceTo((await clock.now()) + HOUR);
  const stamped = await createStamped(send, identity);
  if (!stamped)
    throw new Unreachable(
      `the adapter at ${url} could not be checked: the server created nothing with a created_at; give --destination and --session, or add POST /threads to the server`,
    );
  const { what, createdAt, exists } = stamped;
  const now = clock ? await clock.now() : createdAt;
  if (Math.abs(now - createdAt) > TOLERANCE_MS)
    throw new Unreachable(
      `the clock of the adapter is at ${iso(now)}, but the reply to ${what} is stamped ${iso(createdAt)}; let ${url}/clock move the clock of the server`,
    );
  const couldRead = await exists();
  await reset?.();
  if (reset && couldRead && (await exists()))
    throw new Unreachable(
      `what ${what} created is still there after ${url}/reset; remove everything that clients create`,
    );
}

function membersOf({ text }: WireReply): Members {
  const body = jsonOf(text);
  return isMembers(body) ? body : {};
}
