import { printExact } from "../../contracts/spec/exact-json.ts";
import { withoutUrlSecrets } from "../../contracts/spec/secrets.ts";
import { textOfTurn } from "../client/turn-line.ts";
import { formatInstant } from "../kernel/instant.ts";
import type { JournalEntry } from "../kernel/journal.ts";
import { CONTROL_PREFIX } from "../subjects/control-prefix.ts";
import type { HttpReply, HttpRequest } from "../subjects/message.ts";
import type { World } from "../subjects/turn.ts";
import { MASK } from "../subjects/webhooks/mask.ts";
import type { NamedWorld } from "./worlds/open-worlds.ts";

/** What is logged: requests of clients with the faults that hit, or control requests and all other turns as well. */
export interface LogOptions {
  readonly level: "requests" | "all";
  write(line: LogLine): void;
}

/** A request with its reply, or another turn of a world. Secrets are masked. */
export type LogLine =
  | {
      readonly now: string;
      /** Null for a request that names no world that there is. */
      readonly world: string | null;
      readonly method: string;
      /** With the query. */
      readonly path: string;
      readonly status: number;
      /** Why it was refused: the code of a control operation, and the begin of the message. */
      readonly reason?: string;
      /** Faults that hit it. */
      readonly faults?: readonly string[];
      /** What nothing reads of it. */
      readonly warning?: string;
    }
  | { readonly now: string; readonly world: string; readonly turn: string };

/** Logs what the router handles. */
export interface RequestLog {
  /** Before a request is handled: from the first one on, the turns of its world are followed. */
  followWorld(openWorld: NamedWorld): void;
  logReply(openWorld: NamedWorld | undefined, request: HttpRequest, reply: HttpReply): void;
}

const FAULT_HIT = "fault.triggered";
const WARNING = "x-emulator-warning";

export function createRequestLog({ level, write }: LogOptions): RequestLog {
  const followed = new WeakSet<World>();
  const hits = new WeakMap<World, Map<string, string[]>>();

  function follow(openWorld: NamedWorld, entry: JournalEntry): void {
    const { cause, now, notes = [] } = entry;
    const faults = notes.filter(({ kind }) => kind === FAULT_HIT);
    if (cause.type === "request") {
      const { method, path } = cause.detail ?? {};
      if (faults.length > 0)
        hits.get(openWorld.runtime.world)?.set(`${method} ${path}`, faults.map(faultText));
      return;
    }
    if (level === "all" && cause.type !== "control")
      write({ now, world: openWorld.id, turn: `#${entry.turn} ${textOfTurn(entry)}` });
    else for (const fault of faults) write({ now, world: openWorld.id, turn: faultText(fault) });
  }

  return {
    followWorld(openWorld) {
      const { world } = openWorld.runtime;
      if (followed.has(world)) return;
      followed.add(world);
      hits.set(world, new Map());
      world.journal.follow((entry) => follow(openWorld, entry));
    },
    logReply(openWorld, { method, path, query }, reply) {
      const { status, headers } = reply;
      if (level === "requests" && path.includes(CONTROL_PREFIX)) return;
      const world = openWorld?.runtime.world;
      const ofWorld = world && hits.get(world);
      const faults = ofWorld?.get(`${method} ${path}`);
      ofWorld?.delete(`${method} ${path}`);
      write({
        now: formatInstant(world?.now ?? 0),
        world: openWorld?.id ?? null,
        method,
        path: withoutUrlSecrets(query === "" ? path : `${path}?${query}`, MASK),
        status,
        // The reply of a fault is not a refusal of the emulator.
        ...(faults ? { faults } : status >= 400 && reasonIn(reply)),
        ...(headers[WARNING] !== undefined && { warning: headers[WARNING] }),
      });
    },
  };
}

const MAX_REASON_CHARACTERS = 200;
/** Refusals of the emulator are shorter. */
const MAX_BODY_CHARACTERS = 20_000;

interface RefusalBody {
  readonly error?: { readonly code: string; readonly message: string };
  readonly detail?: unknown;
}

/** The reason in the body of a refusal (§2.3, §7.1): its code and message, its `detail`, or a string. */
function reasonIn({ headers, body }: HttpReply): { readonly reason?: string } {
  const isJson = headers["content-type"]?.startsWith("application/json") === true;
  const text = body instanceof Uint8Array ? Buffer.from(body).toString() : body;
  if (!isJson || typeof text !== "string" || text.length > MAX_BODY_CHARACTERS) return {};
  const value = JSON.parse(text) as string | RefusalBody;
  const { error, detail = value } = typeof value === "string" ? ({} as RefusalBody) : value;
  const reason = error ? `${error.code}: ${error.message}` : detail;
  const line = (typeof reason === "string" ? reason : JSON.stringify(reason)).replace(/\s+/g, " ");
  const isLong = line.length > MAX_REASON_CHARACTERS;
  return { reason: withoutUrlSecrets(isLong ? `${line.slice(0, MAX_REASON_CHARACTERS)}…` : line, MASK) };
}

function faultText({ ref, detail }: NonNullable<JournalEntry["notes"]>[number]): string {
  const { target, then } = detail ?? {};
  return `fault ${ref} hit: ${String(target)} ${printExact(then)}`;
}
