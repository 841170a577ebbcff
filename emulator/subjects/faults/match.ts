import { FAULT_TARGETS, type FaultTargetRow } from "../../../contracts/spec/faults.ts";
import type { FaultRule, MatchValue } from "./records.ts";

/** The facts of an occasion by the keys of `match`; a fact that is missing fits nothing. */
export interface FaultContext {
  readonly [key: string]: string | number | readonly string[] | undefined;
}

/** Whether a rule is about this occasion. */
export function matchesContext({ target, match }: FaultRule, context: FaultContext): boolean {
  const { at } = context;
  const { named = [] }: FaultTargetRow = FAULT_TARGETS[target];
  if (match.at === undefined && named.some((point) => point === at)) return false;
  return Object.entries(match).every(([key, wanted]) => key === "nth" || matchesFact(wanted, context[key]));
}

function matchesFact(wanted: MatchValue, fact: FaultContext[string]): boolean {
  if (fact === undefined) return false;
  const facts = [fact].flat();
  return [wanted]
    .flat()
    .some((pattern) => facts.some((text) => matchesPattern(String(pattern), String(text))));
}

/** `*` matches any run of characters; matched in one pass, so no pattern is slow. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [head = "", ...pieces] = pattern.split("*");
  const tail = pieces.pop();
  if (tail === undefined) return pattern === text;
  if (!text.startsWith(head)) return false;
  let at = head.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - at >= tail.length && text.endsWith(tail);
}
