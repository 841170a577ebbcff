import type { FaultTarget } from "../../../contracts/spec/faults.ts";
import type { Reader, Turn } from "../turn.ts";
import { type FaultContext, matchesContext } from "./match.ts";
import { FAULTS, type FaultRule, isArmed, type RuleOf } from "./records.ts";

/** Whether an armed rule matches this occasion. If none does, nothing is counted and no turn is needed. */
export function mayTrigger(reader: Reader, now: number, target: FaultTarget, context: FaultContext): boolean {
  for (const rule of reader.list(FAULTS, target))
    if (isArmed(rule, now) && matchesContext(rule, context)) return true;
  return false;
}

/**
 * Counts the occasion and returns the rule that triggers on it, if any: the first armed one that is due. Every
 * armed rule that matches counts the occasion. A later rule that is due too triggers on the next occasion.
 * `journalFacts` are noted in the journal.
 */
export function trigger<Target extends FaultTarget>(
  turn: Turn,
  target: Target,
  context: FaultContext,
  journalFacts: FaultContext = context,
): RuleOf<Target> | undefined {
  let triggered: RuleOf<Target> | undefined;
  for (const rule of [...turn.list(FAULTS, target)]) {
    if (!isOn(rule, target) || !isArmed(rule, turn.now) || !matchesContext(rule, context)) continue;
    const seenCount = rule.seen + 1;
    const isDue = triggered === undefined && seenCount >= Number(rule.match.nth ?? 1);
    const countedRule = { ...rule, seen: seenCount, hits: rule.hits + (isDue ? 1 : 0) };
    turn.put(FAULTS, countedRule);
    if (isDue) triggered = countedRule;
  }
  if (triggered)
    turn.note("fault.triggered", triggered.id, {
      rule: triggered.id,
      target,
      occasion: journalFacts,
      then: triggered.then,
    });
  return triggered;
}

function isOn<Target extends FaultTarget>(rule: FaultRule, target: Target): rule is RuleOf<Target> {
  return rule.target === target;
}
