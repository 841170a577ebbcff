import type { ThenOf } from "../../../contracts/spec/faults.ts";
import type { OperationId } from "../../../contracts/spec/operations.ts";
import { parseDuration } from "../../kernel/duration.ts";
import type { Ticket } from "../../kernel/turn.ts";
import type { Reaction, Reader, Turn } from "../turn.ts";
import type { Occasion } from "./match.ts";
import { namesOf } from "./operations.ts";
import { FAULTS } from "./rules.ts";
import { isAwaited, strike } from "./strike.ts";

/** A request that is about to be carried out. */
export interface HttpOccasion {
  readonly id: OperationId;
  readonly path: string;
  readonly region: string;
}

/** What a fault of the http plane does to a request: answers it, or holds it until the ticket is answered. */
export type HttpFault =
  | { readonly status: number; readonly body: unknown; readonly headers: Readonly<Record<string, string>> }
  | { readonly resumes: Ticket };

/** Whether a fault of the http plane may strike this request; it changes nothing. */
export function awaitsHttp(reader: Reader, now: number, occasion: HttpOccasion): boolean {
  return reader.count(FAULTS, "http") > 0 && isAwaited(reader, now, "http", factsOf(occasion));
}

/** The fault, if any, that strikes this request. */
export function strikeHttp(turn: Turn, occasion: HttpOccasion): HttpFault | undefined {
  const rule = strike(turn, "http", factsOf(occasion), {
    op: occasion.id,
    path: occasion.path,
    region: occasion.region,
  });
  if (!rule) return undefined;
  const { status, body, headers = {}, delay }: ThenOf<"http"> = rule.then;
  if (status !== undefined) return { status, body, headers };
  const resumes = turn.later();
  const afterMs = parseDuration(delay as string) as number;
  turn.schedule({ kind: DELAY_OVER, ref: occasion.id, afterMs, data: { ticket: resumes.number } });
  return { resumes };
}

function factsOf({ id, path, region }: HttpOccasion): Occasion {
  return { op: namesOf(id), path, region };
}

const DELAY_OVER = "http.delay_over";

/** The effect that holds the clock until a request that goes on has had its turn. */
export const RESUME = "http.resume";

/** A delay that is over lets its request go on, and holds the clock until that has had its turn. */
export const HTTP_FAULT_REACTIONS: Readonly<Record<string, Reaction>> = {
  [DELAY_OVER](turn, { ref, data }) {
    turn.answer(Number(data.ticket), undefined);
    turn.ask({ kind: RESUME, ref, lane: RESUME, then: "http.resumed", data: {} });
  },
  "http.resumed": () => undefined,
};
