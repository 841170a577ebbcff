import type { OperationId } from "../../../contracts/spec/operations.ts";
import { durationMs } from "../../kernel/duration.ts";
import type { PendingReply } from "../../kernel/turn.ts";
import type { Event, Reader, Turn } from "../turn.ts";
import type { FaultContext } from "./match.ts";
import { namesOf } from "./operations.ts";
import { FAULTS } from "./records.ts";
import { type Target, unhandled } from "./target.ts";
import { mayTrigger } from "./trigger.ts";

/** A request that is about to be carried out. */
export interface HttpOccasion {
  readonly id: OperationId;
  readonly path: string;
  readonly region: string;
}

/** What a fault of the http target does to a request: answers it, or delays it until the pending reply is resolved. */
export type HttpFault =
  | { readonly status: number; readonly body: unknown; readonly headers: Readonly<Record<string, string>> }
  | { readonly pendingReply: PendingReply };

/** Whether a fault of the http target may trigger on this request; changes nothing. */
export function mayTriggerHttp(reader: Reader, now: number, occasion: HttpOccasion): boolean {
  return reader.count(FAULTS, "http") > 0 && mayTrigger(reader, now, "http", factsOf(occasion));
}

export const HTTP: Target<"http", HttpOccasion, HttpFault> = {
  facts: factsOf,
  journalFacts: ({ id, path, region }) => ({ op: id, path, region }),
  apply(turn, { then }, { id }) {
    if ("status" in then) return { status: then.status, body: then.body, headers: then.headers ?? {} };
    if (!("delay" in then)) return unhandled("http", then);
    const afterMs = durationMs(then.delay);
    const pendingReply = turn.deferReply();
    turn.schedule({ kind: "http.delay_over", ref: id, afterMs, data: { pendingReply: pendingReply.number } });
    return { pendingReply };
  },
};

function factsOf({ id, path, region }: HttpOccasion): FaultContext {
  return { op: namesOf(id), path, region };
}

/** `http.delay_over`: lets the request continue, and holds the clock until the request has had its turn. */
export function onDelayOver(turn: Turn, { ref, data }: Event<"http.delay_over">): void {
  turn.resolveReply(data.pendingReply, undefined);
  turn.requestEffect({ kind: "http.resume", ref, lane: "http.resume", data: {} });
}
