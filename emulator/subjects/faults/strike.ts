import type { FaultPlane } from "../../../contracts/spec/faults.ts";
import type { Reader, Turn } from "../turn.ts";
import { isAbout, type Occasion } from "./match.ts";
import { FAULTS, type FaultRule, isArmed } from "./rules.ts";

/** Whether an armed rule is about this occasion: what need not be counted needs no turn of its own. */
export function isAwaited(reader: Reader, now: number, plane: FaultPlane, occasion: Occasion): boolean {
  for (const rule of reader.list(FAULTS, plane))
    if (isArmed(rule, now) && isAbout(rule, occasion)) return true;
  return false;
}

/**
 * The rule that strikes on this occasion, if one does: the first armed one that is due. Every armed rule that
 * is about the occasion counts it; one that is due and forestalled by an earlier rule keeps its hit for the
 * next occasion. The journal is told of `shown`.
 */
export function strike(
  turn: Turn,
  plane: FaultPlane,
  occasion: Occasion,
  shown: Occasion = occasion,
): FaultRule | undefined {
  let struck: FaultRule | undefined;
  for (const rule of [...turn.list(FAULTS, plane)]) {
    if (!isArmed(rule, turn.now) || !isAbout(rule, occasion)) continue;
    const seen = rule.seen + 1;
    const strikes = struck === undefined && seen >= Number(rule.match.nth ?? 1);
    const counted: FaultRule = { ...rule, seen, hits: rule.hits + (strikes ? 1 : 0) };
    turn.put(FAULTS, counted);
    if (strikes) struck = counted;
  }
  if (struck)
    turn.note("fault.struck", struck.id, { rule: struck.id, plane, occasion: shown, then: struck.then });
  return struck;
}
