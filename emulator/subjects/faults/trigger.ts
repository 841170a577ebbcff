import type { FaultTarget } from "../../../contracts/spec/faults.ts";
import type { Reader, Turn } from "../turn.ts";
import { type FaultContext, matchesContext } from "./match.ts";
import { FAULTS, type FaultRule, isArmed, type RuleOf } from "./records.ts";

/** Whether an armed rule is about this occasion: what need not be counted needs no turn of its own. */
export function mayTrigger(reader: Reader, now: number, target: FaultTarget, context: FaultContext): boolean {
  for (const rule of reader.list(FAULTS, target))
    if (isArmed(rule, now) && matchesContext(rule, context)) return true;
  return false;
}

/**
 * The rule triggered on this occasion, if any: the first armed one that is due. Every armed rule that
 * is about the occasion counts it; one that is due and forestalled by an earlier rule keeps its hit for the
 * next occasion. `shown` is noted in the journal.
 */
export function trigger<Target extends FaultTarget>(
  turn: Turn,
  target: Target,
  context: FaultContext,
  shown: FaultContext = context,
): RuleOf<Target> | undefined {
  let triggered: RuleOf<Target> | undefined;
  for (const rule of [...turn.list(FAULTS, target)]) {
    if (!isOn(rule, target) || !isArmed(rule, turn.now) || !matchesContext(rule, context)) continue;
    const seen = rule.seen + 1;
    const isDue = triggered === undefined && seen >= Number(rule.match.nth ?? 1);
    const counted = { ...rule, seen, hits: rule.hits + (isDue ? 1 : 0) };
    turn.put(FAULTS, counted);
    if (isDue) triggered = counted;
  }
  if (triggered)
    turn.note("fault.struck", triggered.id, {
      rule: triggered.id,
      target,
      occasion: shown,
      then: triggered.then,
    });
  return triggered;
}

function isOn<Target extends FaultTarget>(rule: FaultRule, target: Target): rule is RuleOf<Target> {
  return rule.target === target;
}
