import type { FaultTarget, HappeningOf } from "../../../contracts/spec/faults.ts";
import type { Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";

/** The value of a key of `match`, or a list of which any value may match. */
export type MatchValue = string | number | readonly (string | number)[];

/** Members of the rules of all targets. Counts decide when a rule triggers, not probabilities. */
export interface RuleBase {
  readonly id: string;
  /** The preset that the rule was armed with. */
  readonly preset: string | null;
  readonly match: Readonly<Record<string, MatchValue>>;
  readonly times: number;
  /** Duration of virtual time, as the caller wrote it. */
  readonly ttl: string | null;
  /** True for a rule that does not have to trigger (`--strict`). */
  readonly optional?: boolean;
  /** Occasions that triggered the rule. */
  readonly hits: number;
  /** Matching occasions while the rule was armed. */
  readonly seen: number;
  readonly armed_at: Instant;
  readonly expires_at: Instant | null;
}

/** The target of a rule and what the rule does. */
export type TargetThen = {
  readonly [Target in FaultTarget]: { readonly target: Target; readonly then: HappeningOf<Target> };
}[FaultTarget];

/** An armed fault. */
export type FaultRule = RuleBase & TargetThen;

export type RuleOf<Target extends FaultTarget> = Extract<FaultRule, { readonly target: Target }>;

/** Rules by target, in the order in which they were armed. The first one that is due triggers. */
export const FAULTS = collection<FaultRule>(
  "faults",
  (rule) => rule.id,
  (rule) => rule.target,
);

/** Whether a rule can still be triggered. */
export function isArmed({ hits, times, expires_at }: RuleBase, now: Instant): boolean {
  return hits < times && !isExpired(expires_at, now);
}

/** Whether the `ttl` of a rule has passed. */
export function isExpired(expires_at: Instant | null, now: Instant): boolean {
  return expires_at !== null && expires_at <= now;
}
