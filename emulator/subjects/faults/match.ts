import { FAULT_TARGETS, type FaultTargetRow } from "../../../contracts/spec/faults.ts";
import type { FaultRule, MatchValue } from "./records.ts";

/** The facts of an occasion by the keys of `match`; a missing fact matches nothing. */
export interface FaultContext {
  readonly [key: string]: string | number | readonly string[] | undefined;
}

/** Whether a rule matches this occasion. */
export function matchesContext({ target, match }: FaultRule, context: FaultContext): boolean {
  const { at } = context;
  const { named = [] }: FaultTargetRow = FAULT_TARGETS[target];
  if (match.at === undefined && named.some((point) => point === at)) return false;
  return Object.entries(match).every(([key, pattern]) => key === "nth" || matchesFact(pattern, context[key]));
}

function matchesFact(patterns: MatchValue, fact: FaultContext[string]): boolean {
  if (fact === undefined) return false;
  const facts = [fact].flat();
  return [patterns]
    .flat()
    .some((pattern) => facts.some((text) => matchesPattern(String(pattern), String(text))));
}

/** `*` matches any run of characters; matched in one pass, so no pattern is slow. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [start = "", ...middles] = pattern.split("*");
  const end = middles.pop();
  if (end === undefined) return pattern === text;
  if (!text.startsWith(start)) return false;
  let position = start.length;
  for (const middle of middles) {
    const index = text.indexOf(middle, position);
    if (index === -1) return false;
    position = index + middle.length;
  }
  return text.length - position >= end.length && text.endsWith(end);
}
